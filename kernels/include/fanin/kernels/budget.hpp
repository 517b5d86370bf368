// Which SMs an exchange needs at the least on one GPU, so that every wait can be answered.
#pragma once

#include <string>

#include "fanin/kernels/shape.hpp"

namespace fanin::kernels {

/// FFN kernels wait for each other at grid barriers, so all their CTAs must be resident together;
/// so must the emulated NIC. A source holds at most one CTA that waits (CTA 0 of its dispatch, or
/// its collect); the rest of its CTAs run in as many waves as need be, on one SM at the least.
struct SmBudget {
  int nic = 0;
  int ffn = 0;      ///< ffn_ranks · sms
  int sources = 0;  ///< one for each Attention GPU
  int device = 0;

  int needed() const { return nic + ffn + sources + 1; }
  bool fits() const { return needed() <= device; }
  /// SMs that neither NIC, FFN nor a waiting source holds.
  int free() const { return device - nic - ffn - sources; }
  /// "1 NIC + 24 FFN + 3 waiting sources + 1 for the rest = 29 SMs of 132".
  std::string sum() const;
};

SmBudget sm_budget(const Shape& shape, int nic_sms, int device_sms);

}  // namespace fanin::kernels
