// The probe in a build without CUDA: says what is missing.
#include "fanin/hw/error.hpp"
#include "fanin/probe/probe.hpp"

namespace fanin::probe {
namespace {

[[noreturn]] void refuse() {
  throw InputError("probe", "built without CUDA", "a build with a CUDA toolkit (nvcc) on PATH");
}

}  // namespace

Machine machine() { refuse(); }
std::vector<std::string> figure_names() { return {}; }
std::vector<Figure> run_probe(const ProbeOptions&) { refuse(); }

}  // namespace fanin::probe
