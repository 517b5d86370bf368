#include <algorithm>
#include <cstdio>

#include "bench.cuh"
#include "fanin/hw/error.hpp"

namespace fanin::probe {
namespace {

Chip chip_of_device() {
  int device = 0;
  FANIN_PROBE_CHECK(cudaGetDevice(&device));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    FANIN_PROBE_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  Chip chip;
  chip.sms = attribute(cudaDevAttrMultiProcessorCount);
  chip.sm_ghz = attribute(cudaDevAttrClockRate) * 1e-6;
  // Two transfers a clock.
  chip.memory_gbps = 2.0 * attribute(cudaDevAttrMemoryClockRate) * 1e3 *
                     attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 * 1e-9;
  chip.sm_copy_gbps = 128 * chip.sm_ghz;
  chip.cycle_ns = 1 / chip.sm_ghz;
  return chip;
}

Benches benches_of(const Chip& chip) {
  Benches benches;
  add_timer_benches(benches, chip);
  add_launch_benches(benches, chip);
  add_atomic_benches(benches, chip);
  add_sync_benches(benches, chip);
  add_copy_benches(benches, chip);
  add_epilogue_benches(benches, chip);
  return benches;
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

Machine machine() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    throw InputError("probe", "no GPU", "a machine with an NVIDIA driver and GPU");
  }
  int device = 0;
  FANIN_PROBE_CHECK(cudaGetDevice(&device));
  cudaDeviceProp properties;
  FANIN_PROBE_CHECK(cudaGetDeviceProperties(&properties, device));
  int driver = 0;
  int runtime = 0;
  FANIN_PROBE_CHECK(cudaDriverGetVersion(&driver));
  FANIN_PROBE_CHECK(cudaRuntimeGetVersion(&runtime));
  return {properties.name, properties.multiProcessorCount, version(driver), version(runtime)};
}

std::vector<std::string> figure_names() {
  machine();
  std::vector<std::string> names;
  for (const Bench& bench : benches_of(chip_of_device())) names.push_back(bench.figure.name);
  return names;
}

std::vector<Figure> run_probe(const ProbeOptions& options) {
  machine();
  Benches benches = benches_of(chip_of_device());
  if (!options.only.empty()) {
    std::erase_if(benches, [&](const Bench& bench) {
      return std::none_of(options.only.begin(), options.only.end(), [&](const std::string& start) {
        return bench.figure.name.starts_with(start);
      });
    });
    if (benches.empty()) {
      throw InputError("--only", "no figure starts with " + options.only.front(),
                       "a name that `fanin probe --list` prints");
    }
  }
  std::vector<std::vector<Estimate>> rounds(benches.size());
  for (int round = 0; round < std::max(1, options.rounds); ++round) {
    for (std::size_t i = 0; i < benches.size(); ++i) {
      if (options.progress) options.progress(benches[i].figure.name, round);
      benches[i].sample();  // warms up
      rounds[i].push_back(measure(options.rule, benches[i].sample));
    }
  }
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < benches.size(); ++i) {
    Figure figure = benches[i].figure;
    figure.estimate = join(rounds[i]);
    figures.push_back(figure);
  }
  return figures;
}

}  // namespace fanin::probe
