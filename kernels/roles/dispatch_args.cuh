// What the Attention dispatch kernel is told.
#pragma once

#include <cstddef>

#include "fanin/kernels/device/transport.cuh"
#include "fanin/kernels/owner_of.hpp"
#include "roles/token_loader.cuh"
#include "roles/views.cuh"

namespace fanin::kernels::roles {

template <class Transport>
struct AttentionDispatchArgs {
  device::Watch watch;
  Trace trace;
  LoadPlan load;  ///< arguments begin 16 B into a line (sm_90), so this is a line of its own
  OwnerOf owner_of;
  Shape shape;
  SourceMemory memory;
  Transport transport;
  FfnPeers ffn;
};

}  // namespace fanin::kernels::roles
