#include "fanin/kernels/device/emulated_nic.cuh"
#include "fanin/kernels/emulated_nic.hpp"
#include "role_launcher.cuh"

namespace fanin::kernels {

namespace {

using Transport = device::EmulatedNicTransport;

/// Every FFN rank has a link to every source, both ways.
NicTopology topology(const Shape& shape) {
  NicTopology out;
  out.ranks = shape.ranks();
  out.queues = shape.queues;
  for (int f = 0; f < shape.ffn_ranks; ++f) {
    for (int s = 0; s < shape.sources; ++s) {
      out.links.emplace_back(f, shape.rank_of_source(s));
      out.links.emplace_back(shape.rank_of_source(s), f);
    }
  }
  return out;
}

class NicCarrier : public Carrier {
 public:
  explicit NicCarrier(const RunConfig& config)
      : settings_(parse_nic_settings(config.nic)),
        nic_(settings_, topology(config.shape), config.stamps) {}

  std::string name() const override { return settings_.name(); }
  int sms() const override { return nic_.sms(); }

  std::unique_ptr<Launcher> launcher(const World& world, const LaunchPlan& plan,
                                     bool stamps) override {
    return stamps ? make<true>(world, plan) : make<false>(world, plan);
  }

  void start(StallReport* report, std::uint64_t limit_ns) override {
    // A block is many exchanges, each of which may come close to the limit of one wait.
    constexpr std::uint64_t kWaitsOfABlock = 20;
    nic_.start(report, kWaitsOfABlock * limit_ns);
  }
  void stop() override { nic_.stop(); }
  std::vector<int> placement() const override { return nic_.placement(); }
  std::vector<ServedAt> served(int rank) const override { return nic_.served(rank); }

 private:
  template <bool kStamped>
  std::unique_ptr<Launcher> make(const World& world, const LaunchPlan& plan) {
    return std::make_unique<RoleLauncher<Transport, device::Scope::gpu, kStamped>>(
        world, plan, [this](int rank, const device::Watch& watch) {
          Transport transport = nic_.endpoint(rank);
          transport.watch = watch;
          return transport;
        });
  }

  NicSettings settings_;
  EmulatedNic nic_;
};

}  // namespace

std::unique_ptr<Carrier> make_nic_carrier(const RunConfig& config) {
  return std::make_unique<NicCarrier>(config);
}

}  // namespace fanin::kernels
