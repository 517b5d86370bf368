#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "fanin/calibrate/record.hpp"
#include "fanin/hw/atomic_file.hpp"

namespace {

/// `count` records like those of the seed, with repeats, each with an id of its own.
std::string write_rows(std::int64_t count) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("fanin_bench_" + std::to_string(count) + ".jsonl"))
          .string();
  fanin::AtomicFile file(path);
  for (std::int64_t i = 0; i < count; ++i) {
    file.write(
        "{\"id\": \"B" + std::to_string(i) +
        "\", \"set\": \"bench\", \"cluster\": \"h100-4x-cx7-ndr400\", \"gpus_per_domain\": 4, "
        "\"protocol\": \"role\", \"path\": \"hybrid\", \"ffn_ranks\": 4, \"attention_ranks\": 12, "
        "\"sources\": 3, \"tokens\": " +
        std::to_string(1 + i % 2048) +
        ", \"transport_sms\": 24, \"payload\": \"bf16\", \"hidden\": 2048, \"top_k\": 8, "
        "\"experts\": 128, \"capacity\": 2048, \"median_us\": 96.51, "
        "\"repeats_us\": [96.4, 96.51, 97.0]}\n");
  }
  file.commit();
  return path;
}

void read_records(benchmark::State& state) {
  const std::string path = write_rows(state.range(0));
  std::size_t read = 0;
  for (auto _ : state) {
    read = fanin::calibrate::read_records({path}).records.size();
    benchmark::DoNotOptimize(read);
  }
  if (read != static_cast<std::size_t>(state.range(0))) state.SkipWithError("rows were lost");
  state.SetItemsProcessed(state.iterations() * state.range(0));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  std::filesystem::remove(path);
}

BENCHMARK(read_records)->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
