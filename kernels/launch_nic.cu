#include "fanin/kernels/device/emulated_nic.cuh"
#include "fanin/kernels/emulated_nic.hpp"
#include "role_launcher.cuh"

namespace fanin::kernels {

namespace {

using Transport = device::EmulatedNicTransport;

/// One rail: every FFN rank has a link to every source, both ways.
NicTopology topology(const Shape& rail) {
  NicTopology out;
  out.ranks = rail.ranks();
  out.queues = rail.queues;
  for (int f = 0; f < rail.ffn_ranks; ++f) {
    for (int s = 0; s < rail.sources; ++s) {
      out.links.emplace_back(f, rail.rank_of_source(s));
      out.links.emplace_back(rail.rank_of_source(s), f);
    }
  }
  return out;
}

/// One network a rail: GPUs of different rails have no link. Ranks domain·U + rail are rank
/// `domain` of their rail's network.
class NicCarrier : public Carrier {
 public:
  explicit NicCarrier(const RunConfig& config) : settings_(parse_nic_settings(config.nic)) {
    for (int rail = 0; rail < config.shape.gpus_per_domain; ++rail) {
      rails_.push_back(std::make_unique<EmulatedNic>(
          settings_, topology(rail_view(config.shape, rail)), config.stamps));
    }
  }

  std::string name() const override { return settings_.name(); }
  int sms() const override { return static_cast<int>(rails_.size()) * rails_.front()->sms(); }

  std::unique_ptr<Launcher> launcher(const World& world, const LaunchPlan& plan,
                                     bool stamps) override {
    return stamps ? make<true>(world, plan) : make<false>(world, plan);
  }

  void start(StallReport* report, std::uint64_t limit_ns) override {
    // A block is many exchanges, each of which may come close to the limit of one wait.
    constexpr std::uint64_t kWaitsOfABlock = 20;
    for (const auto& nic : rails_) nic->start(report, kWaitsOfABlock * limit_ns);
  }
  void stop_behind(std::span<const cudaEvent_t> posted) override {
    for (const auto& nic : rails_) nic->stop_behind(posted);
  }
  void stop() override {
    for (const auto& nic : rails_) nic->stop();
  }
  std::vector<int> placement() const override {
    std::vector<int> out;
    for (const auto& nic : rails_) {
      const std::vector<int> own = nic->placement();
      out.insert(out.end(), own.begin(), own.end());
    }
    return out;
  }
  std::vector<ServedAt> served(int rank) const override {
    return rails_[rail_of(rank)]->served(on_rail(rank));
  }

 private:
  template <bool kStamped>
  std::unique_ptr<Launcher> make(const World& world, const LaunchPlan& plan) {
    return std::make_unique<RoleLauncher<Transport, device::Scope::gpu, kStamped>>(
        world, plan, [this](int rank, const device::Watch& watch) {
          Transport transport = rails_[rail_of(rank)]->endpoint(on_rail(rank));
          transport.watch = watch;
          return transport;
        });
  }

  std::size_t rail_of(int rank) const { return static_cast<std::size_t>(rank) % rails_.size(); }
  int on_rail(int rank) const { return rank / static_cast<int>(rails_.size()); }

  NicSettings settings_;
  std::vector<std::unique_ptr<EmulatedNic>> rails_;
};

}  // namespace

std::unique_ptr<Carrier> make_nic_carrier(const RunConfig& config) {
  return std::make_unique<NicCarrier>(config);
}

}  // namespace fanin::kernels
