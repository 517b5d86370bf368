// The list of every machine parameter. The room's only home of default values.
#pragma once

#include "fanin/hw/parameter.hpp"

namespace fanin::hw {

inline constexpr ParameterSpec kRegistry[] = {
    // FFN or Attention NIC, requester side (posts work requests).
    {"nic.requester.fetch_add", "ns", 0.0, 2000.0, 46.0,
     "Time of the requester server for one 8 B fetch-add: doorbell share, WQE and issue.",
     "event model of recorded data"},
    {"nic.requester.write", "ns", 0.0, 2000.0, 0.0,
     "Time of the requester server for one RDMA WRITE, without its bytes.",
     "prior: bytes dominate"},
    {"nic.responder.fetch_add", "ns", 0.0, 2000.0, 27.0,
     "Time of the responder server for one 8 B fetch-add.",
     "event model of recorded data; Fusa 14-42 Mops"},
    {"nic.responder.write", "ns", 0.0, 2000.0, 0.0,
     "Time of the responder server for one RDMA WRITE, without its bytes.",
     "prior: bytes dominate"},
    {"nic.line_rate", "GB/s", 1.0, 1000.0, 50.0, "Bytes per second of one port, one direction.",
     "400 Gb/s NDR"},
    {"nic.wire_latency", "us", 0.0, 100.0, 1.58,
     "One-way time of a work request from post to effect.",
     "published mlx5 measurements, half a write round trip"},
    {"nic.queue.outstanding", "count", 1.0, 65536.0, 16.0,
     "Fetch-adds that one queue may have in flight (1 in NCCL GIN before 2.30).", "NCCL source"},
    {"nic.queue.fetch_add_round_trip", "us", 0.0, 100.0, 2.65,
     "Round trip of a fetch-add, which a queue waits for when its outstanding limit is reached.",
     "published mlx5 measurements"},
    // Kernels on one GPU.
    {"gpu.kernel_gap", "us", 0.0, 50.0, 1.0, "Gap between two kernels of one graph.",
     "measured on an H200"},
    {"gpu.sms", "count", 1.0, 1024.0, 132.0, "SMs of one GPU.", "H100 and H200"},
};

}  // namespace fanin::hw
