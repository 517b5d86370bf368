// Names of what an exchange can spend time on, as critical paths and utilisation report them.
#pragma once

#include <string_view>

#include "fanin/model/sim/trail.hpp"

namespace fanin::model {

/// One number for each name below.
enum class Resource : sim::ResourceId {
  launch,              ///< gaps between kernels, entry of the Attention dispatch
  attention_dispatch,  ///< scale-out warps: rows staged, work requests posted
  attention_requester,
  wire,
  ffn_responder,
  ffn_notify,
  ffn_forward,  ///< forward warps and the SMs that they share
  ffn_dispatch_exit,
  ffn_copy_epilogue,
  ffn_combine_entry,
  ffn_combine_nvlink,
  ffn_combine_chain,
  ffn_requester,
  queue,  ///< a queue at its limit of outstanding operations
  attention_responder,
  attention_collect,
  attention_reduce,
  attention_other,  ///< finalize
  ffn_other,        ///< complete
  nvlink_barrier,
  domain_barrier,  ///< RDMA half of an entry barrier
  nvlink_counts,   ///< notify of a domain exchange, to the kernels' floor
  nvlink_egress,
  nvlink_ingress,
  nvlink_exit,     ///< exit of a kernel and waiting for its slowest warp
  ffn_combine_sm,  ///< combine warps' own work
  count
};

constexpr sim::ResourceId resource_id(Resource resource) {
  return static_cast<sim::ResourceId>(resource);
}

constexpr std::string_view to_string(Resource resource) {
  switch (resource) {
    case Resource::launch: return "launch";
    case Resource::attention_dispatch: return "attention.dispatch";
    case Resource::attention_requester: return "attention.nic.requester";
    case Resource::wire: return "wire";
    case Resource::ffn_responder: return "ffn.nic.responder";
    case Resource::ffn_notify: return "ffn.notify";
    case Resource::ffn_forward: return "ffn.forward";
    case Resource::ffn_dispatch_exit: return "ffn.dispatch_exit";
    case Resource::ffn_copy_epilogue: return "ffn.copy_epilogue";
    case Resource::ffn_combine_entry: return "ffn.combine_entry";
    case Resource::ffn_combine_nvlink: return "ffn.combine_nvlink";
    case Resource::ffn_combine_chain: return "ffn.combine_chain";
    case Resource::ffn_requester: return "ffn.nic.requester";
    case Resource::queue: return "nic.queue";
    case Resource::attention_responder: return "attention.nic.responder";
    case Resource::attention_collect: return "attention.collect";
    case Resource::attention_reduce: return "attention.reduce";
    case Resource::attention_other: return "attention.finalize";
    case Resource::ffn_other: return "ffn.complete";
    case Resource::nvlink_barrier: return "nvlink.barrier";
    case Resource::domain_barrier: return "domain.barrier";
    case Resource::nvlink_counts: return "nvlink.counts";
    case Resource::nvlink_egress: return "nvlink.egress";
    case Resource::nvlink_ingress: return "nvlink.ingress";
    case Resource::nvlink_exit: return "nvlink.exit";
    case Resource::ffn_combine_sm: return "ffn.combine_sm";
    case Resource::count: break;
  }
  return "";
}

}  // namespace fanin::model
