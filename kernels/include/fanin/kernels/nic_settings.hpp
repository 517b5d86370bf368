// What the emulated NIC costs: the programmable settings of a NIC that lives on the GPU. They
// belong to the emulator alone; nothing that predicts may read them.
#pragma once

#include <string>
#include <vector>

namespace fanin::kernels {

/// Times in ns, ≥ 0; 0 switches a mechanism off. A NIC is two serial servers: the requester takes
/// what its GPU posts, in post order; the responder takes what arrives from the other NICs, in
/// order of arrival, and performs it. Each starts an operation at the later of its arrival and the
/// end of the one before.
struct NicSettings {
  double post_ns = 0;          ///< from the post to the arrival at the requester
  double send_atomic_ns = 0;   ///< requester, one fetch-add
  double send_write_ns = 0;    ///< requester, one row or 8 B write, without its bytes
  double send_gbps = 0;        ///< requester, bytes of rows in GB/s (1e9 B); 0: free
  double doorbell_ns = 0;      ///< requester, one doorbell
  double queue_switch_ns = 0;  ///< requester, an operation of another queue than the one before
  double wire_ns = 0;          ///< from the requester's end to the arrival at the responder
  double serve_atomic_ns = 0;  ///< responder, one fetch-add
  double serve_write_ns = 0;   ///< responder, one row or 8 B write, without its bytes
  double serve_gbps = 0;       ///< responder, bytes of rows in GB/s; 0: free

  /// The responder's atomics hash their address into this many lock slots (at most 512), each held
  /// for lock_hold_ns from the operation's start; an atomic whose slot is held waits, and so does
  /// everything behind it.
  int lock_slots = 0;
  double lock_hold_ns = 0;

  /// The requester keeps this many queue contexts (direct-mapped, at most 1,024); an operation
  /// whose context is absent costs context_miss_ns more and brings it in.
  int contexts = 0;
  double context_miss_ns = 0;

  /// Operations that a requester may have unacknowledged, at most 1,024; 0: any number. An
  /// acknowledgement leaves the responder at the operation's completion and takes the wire's time;
  /// they count in post order. What the emulation itself takes, about 4 us, is hidden only where
  /// the round trip is as long.
  int outstanding = 0;

  int ring_entries = 4096;  ///< posts that a rank may have waiting; a power of two, 128…65,536
  int nics_per_sm = 1;      ///< NICs that share one SM: 1 or 2
  /// SMs, at most 7, that do nothing but move rows for the NICs of one SM. An SM moves about
  /// 40 GB/s, which bounds send_gbps and serve_gbps from above.
  int mover_sms = 0;

  std::string base = "free";  ///< named settings that this one started from

  /// The name to use in a cluster's name: the base, then every changed setting, for example
  /// "nic28" or "nic28-wire_ns1500".
  std::string name() const;

  bool operator==(const NicSettings&) const = default;
};

/// Names that parse_nic_settings takes: "free" (no costs), "nic28" (28 ns an operation on both
/// sides, rows at 50 GB/s), "locks28" (the same with 512 lock slots held for 400 ns), "cache28"
/// (the same with 64 queue contexts, 500 ns a miss), "wire28" (the same with 1,580 ns of wire),
/// "window28" (the same with 16 operations outstanding).
std::vector<std::string> nic_setting_names();

/// Each element is a name or key=value, or several of them with commas between; later ones win. The
/// keys are the members' names. Throws ConfigError that names the key and what it accepts.
NicSettings parse_nic_settings(const std::vector<std::string>& words);

/// Throws ConfigError for the first setting that is out of range.
void validate(const NicSettings& settings);

}  // namespace fanin::kernels
