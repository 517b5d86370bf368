// The list of every machine parameter. The room's only home of default values.
// One line each: name, unit, smallest and largest value accepted, prior, meaning, where the prior is from.
#pragma once

#include "fanin/hw/parameter.hpp"

namespace fanin::hw {

// clang-format off
inline constexpr ParameterSpec kRegistry[] = {
    // NIC of one GPU. Requester posts work requests, responder executes those of its peers.
    {"nic.line_rate", "GB/s", 1.0, 1000.0, 50.0, "Bytes per second of one port, one direction.", "400 Gb/s NDR"},
    {"nic.wire_latency", "us", 0.0, 100.0, 1.58, "One-way time of a work request from post to effect.", "published mlx5 measurements, half a write round trip"},
    {"nic.requester.fetch_add", "ns", 0.0, 2000.0, 46.0, "Time of the requester server for one 8 B fetch-add: doorbell share, WQE and issue.", "event model of recorded data"},
    {"nic.requester.write", "ns", 0.0, 2000.0, 0.0, "Time of the requester server for one RDMA WRITE, without its bytes.", "prior: bytes dominate"},
    {"nic.requester.doorbell", "ns", 0.0, 2000.0, 0.0, "Time of the requester server for one doorbell on its own; 0 while it is part of fetch_add. A posted store takes 30.", "not separable in recorded data; NCCL and DOCA source, public notes"},
    {"nic.requester.wqe_fetch", "ns", 0.0, 5000.0, 0.0, "Time of the requester server to fetch one 64 B WQE after its doorbell, where it is not pushed; 0 while it is part of fetch_add.", "not separable in recorded data; one PCIe round trip, pipelined: NCCL and DOCA source"},
    {"nic.requester.gpu_post", "ns", 0.0, 2000.0, 0.0, "Least time between two posts of one GPU over all of its queues; 0 is no constraint. Published: 213 over 24 queues.", "public notes, cross-socket ConnectX-7 with H200 NVL, 4.7 M/s"},
    {"nic.responder.fetch_add", "ns", 0.0, 2000.0, 27.0, "Time of the responder server for one 8 B fetch-add.", "event model of recorded data; Fusa 14-42 Mops"},
    {"nic.responder.write", "ns", 0.0, 2000.0, 0.0, "Time of the responder server for one RDMA WRITE, without its bytes.", "prior: bytes dominate"},
    {"nic.responder.same_word", "ns", 0.0, 5000.0, 435.0, "Time between two fetch-adds on one word, which cannot overlap.", "Fusa, 2.3 Mops on one slot"},
    {"nic.atomic_fence", "us", 0.0, 100.0, 0.0, "Extra time of a fetch-add behind writes of its queue on a multipath fabric; 0 on a single path, else one round trip.", "DeepEP PR 437"},
    {"nic.inline_saving", "us", 0.0, 10.0, 0.75, "Latency that an inline write of at most 8 B saves: one payload read over PCIe.", "NCCL source; PCIe load 0.7-0.8 us in public notes"},
    {"nic.pcie.round_trip", "us", 0.0, 10.0, 0.75, "A load over PCIe.", "public notes, 0.7-0.8 us"},
    {"nic.queue.outstanding", "count", 1.0, 65536.0, 16.0, "Fetch-adds that one queue may have in flight (1 in NCCL GIN before 2.30).", "NCCL source"},
    {"nic.queue.fetch_add_round_trip", "us", 0.0, 100.0, 2.65, "Round trip of a fetch-add, which a queue waits for when its outstanding limit is reached.", "published mlx5 measurements"},
    {"nic.queue.serial_fetch_add", "us", 0.0, 10.0, 0.56, "Time of one fetch-add on a queue that holds one outstanding, back to back.", "NCCL source, mlx5 measurements: 0.41-0.71"},
    {"nic.queue.lock", "ns", 0.0, 5000.0, 30.0, "Time that a post holds its queue's lock: two doorbell writes and the record.", "DOCA source: 2 MMIO and 1 record; posted store 30 ns"},
    {"nic.queue.completion_poll", "ns", 0.0, 10000.0, 0.0, "Time of a post for polling an old completion once more work requests than the queue's depth were posted, when that one is done.", "prior: a cached load"},
    {"nic.wqe_bytes", "B", 0.0, 1024.0, 64.0, "Size of one work queue entry.", "NCCL and DOCA source"},
    {"nic.cqe_bytes", "B", 0.0, 1024.0, 64.0, "Size of one completion; every put and atomic asks for one.", "NCCL and DOCA source"},
    {"nic.proxy.operation", "us", 0.0, 1000.0, 5.4, "One operation by the CPU proxy, from kernel to done; one thread serves all contexts.", "NCCL source, public notes"},

    // NVLink of one domain.
    {"nvlink.pair_rate", "GB/s", 1.0, 10000.0, 374.0, "Bytes per second between two GPUs, one direction.", "nccl issue 1264, 371-377 by unidirectional P2P write"},
    {"nvlink.egress_rate", "GB/s", 1.0, 10000.0, 340.0, "Bytes per second out of one GPU to all peers.", "stage model of recorded data, dispatch 331-348"},
    {"nvlink.ingress_rate", "GB/s", 1.0, 10000.0, 340.0, "Bytes per second into one GPU from all peers.", "stage model of recorded data, dispatch 331-348"},
    {"nvlink.sm_send_rate", "GB/s", 0.1, 1000.0, 86.0, "Bytes per second that one transport SM sends.", "stage model of recorded data, at least this"},
    {"nvlink.latency", "us", 0.0, 100.0, 1.22, "One-way time of a store until its flag is seen.", "H200 pair, half of the flag ping-pong of 2.45"},
    {"nvlink.release_add", "us", 0.0, 100.0, 0.93, "One remote release fetch-add after another from one warp.", "measured on an H200 pair"},
    {"nvlink.release_add_many", "ns", 0.0, 1000.0, 2.7, "The same per operation, pipelined over 1,056 warps.", "measured on an H200 pair"},
    {"nvlink.relaxed_add", "ns", 0.0, 1000.0, 16.0, "One remote relaxed add after another from one warp.", "measured on an H200 pair"},
    {"nvlink.relaxed_add_many", "ns", 0.0, 1000.0, 0.14, "The same per operation over many warps.", "measured on an H200 pair"},
    {"nvlink.same_word_add", "ns", 0.0, 1000.0, 2.0, "Time between two remote adds on one word.", "measured on an H200 pair"},
    {"nvlink.returning_atomic", "ns", 0.0, 100000.0, 887.0, "Remote atomic whose result is waited for.", "measured on an H200 pair, 1757 cycles"},
    {"nvlink.barrier", "us", 0.0, 100.0, 1.3, "Barrier over the GPUs of one domain, without waiting for the slowest.", "prior: one flag, one way"},

    // One GPU.
    {"gpu.sms", "count", 1.0, 1024.0, 132.0, "SMs of one GPU.", "H100 and H200"},
    {"gpu.sm_clock", "MHz", 100.0, 10000.0, 1980.0, "SM clock without a tensor load.", "measured on an H200"},
    {"gpu.sm_clock_loaded", "MHz", 100.0, 10000.0, 1800.0, "SM clock beside a tensor load.", "measured on an H200"},
    {"gpu.globaltimer_step", "ns", 1.0, 10000.0, 32.0, "Step of the global timer.", "measured on an H200"},
    {"gpu.kernel_gap", "us", 0.0, 50.0, 1.0, "Gap between two kernels of one graph.", "measured on an H200"},
    {"gpu.grid_sync", "us", 0.0, 100.0, 1.5, "Grid-wide synchronisation of one kernel, without waiting for the slowest CTA.", "prior: half of what a grid-sync exit adds to an exchange"},
    {"gpu.grid_sync_cta", "ns", 0.0, 1000.0, 1.2, "The same, for each CTA more.", "prior: one release add"},
    {"gpu.release_add", "us", 0.0, 100.0, 0.61, "One local release fetch-add after another from one warp.", "measured on an H200"},
    {"gpu.release_add_many", "ns", 0.0, 1000.0, 1.2, "The same per operation, pipelined over 1,056 warps.", "measured on an H200"},
    {"gpu.same_word_add", "ns", 0.0, 1000.0, 0.73, "Time between two local adds on one word, in L2.", "measured on an H200"},
    {"gpu.returning_atomic", "ns", 0.0, 100000.0, 142.0, "Local atomic whose result is waited for.", "measured on an H200, 282 cycles"},
    {"gpu.device_fence", "ns", 0.0, 100000.0, 215.0, "Fence of the device's scope.", "measured on an H200, 143-290"},
    {"gpu.system_fence", "ns", 0.0, 100000.0, 540.0, "Fence of the system's scope.", "measured on an H200, 523-560; public notes 580"},

    // Kernels of the exchange between domains (hybrid, direct).
    {"hybrid.constant", "us", 0.0, 500.0, 10.0, "From an Attention GPU's dispatch start to its first post: launch skew, grid sync, entry. Takes whatever constant no other step explains.", "so that all constants of a role exchange sum to the 54 us of an event model of recorded data"},
    {"hybrid.kernel_gap", "us", 0.0, 50.0, 0.25, "From a kernel's end to its successor's start on one GPU.", "recorded kernel durations: four kernels fill the FFN's period but for 1 us"},
    {"hybrid.dispatch_row", "us", 0.0, 100.0, 1.0, "Attention dispatch, one row of a channel: load, stage, WQE, in the channel's own warp.", "prior: rows go out a little later than finishes"},
    {"hybrid.dispatch_row_sm", "us", 0.0, 100.0, 0.0, "The same, the share of it that the warps of one SM take turns for.", "prior: none"},
    {"hybrid.dispatch_exit_attention", "us", 0.0, 100.0, 0.0, "Attention dispatch, from its last post to the kernel's end.", "prior: hidden behind collect"},
    {"hybrid.notify", "us", 0.0, 100.0, 3.0, "From an Attention GPU's first finish to its count WRITEs: red-adds and waiting for all CTAs.", "prior: hidden behind the rows"},
    {"hybrid.source_finalize", "us", 0.0, 100.0, 2.0, "Attention kernel between dispatch and collect.", "recorded kernel durations"},
    {"hybrid.collect", "us", 0.0, 100.0, 0.5, "From the last finish to the end of collect: poll, clear.", "prior: part of the constant"},
    {"hybrid.reduce_constant", "us", 0.0, 100.0, 3.3, "Attention reduce epilogue without rows.", "recorded kernel durations"},
    {"hybrid.reduce_token", "ns", 0.0, 10000.0, 1.1, "Attention reduce epilogue, one token.", "recorded kernel durations"},
    {"hybrid.forward_entry", "us", 0.0, 100.0, 4.0, "From the FFN dispatch kernel's start to its first poll: grid sync, barrier over NVLink.", "prior: hidden, since the kernel starts before data arrive"},
    {"hybrid.notify_ffn", "us", 0.0, 100.0, 1.0, "From the last source's counts to the end of the FFN's notify.", "prior: hidden behind the rows"},
    {"hybrid.notify_zero_counts", "us", 0.0, 100.0, 1.5, "The FFN's reduction of its own zero counts, from its first poll on; its notify ends no earlier.", "protocol description, at most 1-2 us"},
    {"hybrid.forward_poll", "ns", 0.0, 10000.0, 50.0, "One pass of a forward warp over a source without rows.", "protocol description, tens of ns"},
    {"hybrid.forward_row", "us", 0.0, 100.0, 0.77, "FFN dispatch, one row, in a server that the warps of one SM share.", "event model of recorded data"},
    {"hybrid.forward_row_warp", "us", 0.0, 100.0, 0.0, "FFN dispatch, one row, in its own warp after that server: waiting for the stores.", "prior: all of it shared"},
    {"hybrid.forward_rate", "GB/s", 0.0, 10000.0, 0.0, "Bytes per second of the forward server of one SM; 0 is no constraint.", "prior: the row's time is latency"},
    {"hybrid.dispatch_exit", "us", 0.0, 100.0, 18.0, "FFN dispatch, from its last channel to the kernel's end: end-of-list tails, clearing, exit barrier over NVLink.", "recorded kernel durations, sum of start and exit"},
    {"hybrid.copy_epilogue_constant", "us", 0.0, 100.0, 3.5, "FFN copy epilogue without rows.", "recorded kernel durations"},
    {"hybrid.copy_epilogue_row", "ns", 0.0, 10000.0, 2.2, "FFN copy epilogue, one expert row.", "event model of recorded data: 17.6 ns a token row of 8 experts"},
    {"hybrid.combine_entry", "us", 0.0, 100.0, 14.0, "From the FFN combine kernel's start to its first finish: barrier over NVLink, grid sync.", "recorded kernel durations"},
    {"hybrid.combine_nvlink_row", "ns", 0.0, 10000.0, 0.0, "FFN combine, one row copy on NVLink to its rail, without its bytes.", "prior: bytes dominate"},
    {"hybrid.combine_nvlink_rate", "GB/s", 1.0, 10000.0, 480.0, "FFN combine, bytes per second of row copies that reach one forwarding GPU.", "event model of recorded data: 31 ns a token row of 3.6 copies"},
    {"hybrid.combine_chain_row", "us", 0.0, 200.0, 10.0, "FFN combine, one row of a channel: wait, reduce, stage, doorbell, one after another.", "event model of recorded data"},
    {"hybrid.combine_first_row", "us", 0.0, 200.0, 0.0, "The same, what a channel's first row takes more.", "prior: none"},
    {"hybrid.combine_row_sm", "us", 0.0, 200.0, 0.0, "FFN combine, the share of a row that the warps of one SM take turns for.", "prior: none"},
    {"hybrid.combine_exit", "us", 0.0, 100.0, 0.0, "FFN combine, from its last post to the kernel's end.", "prior: part of the entry"},
    {"hybrid.complete", "us", 0.0, 100.0, 2.0, "FFN kernel after combine.", "recorded kernel durations"},
    {"hybrid.symmetric_constant", "us", 0.0, 500.0, 19.5, "What a symmetric exchange adds besides its finishes.", "event model of recorded data"},
    {"direct.constant", "us", 0.0, 1000.0, 91.0, "Everything of a direct exchange but its rows.", "closed form of recorded data"},
    {"direct.row", "us", 0.0, 100.0, 0.655, "Direct exchange, for each token of each source: RDMA rows to every distinct destination, both ways.", "closed form of recorded data"},

    // Kernels of the exchange inside one domain (nvlink).
    {"domain.combine_gap", "us", -10.0, 50.0, 0.1, "Combine starts this long after the copy epilogue.", "recorded timelines, -0.04 to 0.15"},
    {"domain.dispatch_gap", "us", -10.0, 50.0, 2.1, "The next dispatch starts this long after the reduce epilogue.", "recorded timelines, 1.95-2.34"},
    {"domain.attention_combine_gap", "us", -10.0, 50.0, 0.55, "Attention starts its combine this long after its dispatch.", "recorded timelines"},
    {"domain.dispatch_floor", "us", 0.0, 100.0, 5.4, "Least time of dispatch.", "stage model of recorded data"},
    {"domain.dispatch_constant", "us", 0.0, 100.0, 4.4, "Dispatch besides its rows on the busiest link.", "stage model of recorded data"},
    {"domain.copy_epilogue_constant", "us", 0.0, 100.0, 1.8, "Copy epilogue without rows.", "stage model of recorded data"},
    {"domain.copy_epilogue_row", "ns", 0.0, 10000.0, 1.09, "Copy epilogue, one expert row.", "stage model of recorded data"},
    {"domain.copy_epilogue_token", "ns", 0.0, 10000.0, 1.43, "Copy epilogue, one token.", "stage model of recorded data"},
    {"domain.combine_constant", "us", 0.0, 100.0, 2.0, "Combine besides its SM and link sides.", "stage model of recorded data"},
    {"domain.combine_warp_token", "us", 0.0, 100.0, 1.25, "Combine, one token of the most loaded warp.", "stage model of recorded data"},
    {"domain.combine_warp_row", "us", 0.0, 100.0, 0.45, "Combine, one row of the most loaded warp.", "stage model of recorded data"},
    {"domain.combine_link_constant", "us", 0.0, 100.0, 5.9, "Combine's link side without tokens.", "stage model of recorded data"},
    {"domain.combine_link_ramp", "us", 0.0, 100.0, 3.8, "Combine's link side, what its ramp adds once the link is full.", "stage model of recorded data"},
    {"domain.combine_ffn_egress", "GB/s", 1.0, 10000.0, 277.0, "Combine, bytes per second out of one FFN GPU.", "stage model of recorded data"},
    {"domain.combine_attention_ingress", "GB/s", 1.0, 10000.0, 352.0, "Combine, bytes per second into one Attention GPU.", "stage model of recorded data"},
    {"domain.combine_smoothing", "count", 1.0, 100.0, 2.5, "Exponent of the smooth maximum of combine's SM and link sides.", "stage model of recorded data"},
    {"domain.reduce_epilogue_constant", "us", 0.0, 100.0, 2.3, "Reduce epilogue without rows.", "stage model of recorded data"},
    {"domain.reduce_epilogue_rate", "GB/s", 1.0, 100000.0, 6000.0, "Bytes per second of the reduce epilogue.", "stage model of recorded data"},
    {"domain.symmetric_dispatch", "us", 0.0, 100.0, 5.9, "What a symmetric exchange adds to dispatch at one token.", "stage model of recorded data, 5.3-6.5"},
    {"domain.symmetric_combine", "us", 0.0, 100.0, 5.1, "What a symmetric exchange adds to combine at one token.", "stage model of recorded data, 3.8-6.5"},
    {"domain.collect_view_saving", "us", -10.0, 100.0, 2.05, "What reading results in place saves.", "stage model of recorded data"},
    {"domain.grid_sync_exit", "us", 0.0, 100.0, 2.6, "What a grid-sync exit adds.", "stage model of recorded data"},
    {"domain.overlap_lag", "count", 0.0, 1.0, 0.58, "Share of the dispatch stream after which an overlapped copy epilogue starts.", "stage model of recorded data: 0.86, 0.58, 0.40 for 1, 2, 3 FFN GPUs"},
    {"gemm.launch_wait", "us", 0.0, 1000.0, 13.1, "What GEMMs beside the exchange add through waiting launches.", "stage model of recorded data"},
    {"gemm.epilogue_slowdown", "count", 1.0, 100.0, 3.47, "Factor on the copy epilogue's rows while GEMMs run beside it.", "stage model of recorded data"},

    // Measurement.
    {"trace.overhead", "count", 1.0, 2.0, 1.05, "Factor on the period of an exchange that a profiler watches, at 128 tokens or fewer.", "recorded timelines, 1.03-1.065"},
};
// clang-format on

}  // namespace fanin::hw
