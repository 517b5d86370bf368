#include "role_launcher.cuh"

namespace fanin::kernels {

namespace {

using Transport = device::NvlinkTransport<device::Scope::gpu>;

template <bool kStamped>
std::unique_ptr<Launcher> make(const World& world, const LaunchPlan& plan) {
  return std::make_unique<RoleLauncher<Transport, device::Scope::gpu, kStamped>>(
      world, plan, [](int, const device::Watch&) { return Transport{}; });
}

class NvlinkCarrier : public Carrier {
 public:
  std::unique_ptr<Launcher> launcher(const World& world, const LaunchPlan& plan,
                                     bool stamps) override {
    return stamps ? make<true>(world, plan) : make<false>(world, plan);
  }
};

}  // namespace

std::unique_ptr<Carrier> make_nvlink_carrier() { return std::make_unique<NvlinkCarrier>(); }

}  // namespace fanin::kernels
