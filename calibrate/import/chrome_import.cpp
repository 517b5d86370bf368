#include <cstdlib>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>

#include "fanin/calibrate/trace_import.hpp"
#include "fanin/hw/error.hpp"
#include "gzip_stream.hpp"
#include "trace_summary.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::json;

/// Microseconds as written to whole nanoseconds. A double would lose them: the times of a trace may
/// count from 1970.
std::optional<std::int64_t> nanoseconds(const std::string& text) {
  if (text.find_first_of("eE") != std::string::npos || text.empty()) {
    const double value = std::strtod(text.c_str(), nullptr) * 1e3;
    if (!(value > -4e18 && value < 4e18)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits = text.substr(0, point);
  std::string fraction = point < text.size() ? text.substr(point + 1, 3) : std::string{};
  fraction.resize(3, '0');
  digits += fraction;
  // Room for the sum of a start and a duration.
  constexpr long long kMost = 4'500'000'000'000'000'000;
  const long long value = digits.size() > 20 ? kMost : std::strtoll(digits.c_str(), nullptr, 10);
  if (value >= kMost || value <= -kMost) return std::nullopt;
  return value;
}

/// What is kept of one event while it is read.
struct Event {
  std::string name;
  bool complete = false;  ///< has a duration of its own ("ph": "X")
  bool kernel = false;
  std::optional<std::int64_t> ts_ns;
  std::optional<std::int64_t> dur_ns;
  std::optional<int> device;
  double grid = 1.0;
  double block = 1.0;
  bool has_grid = false;
  bool has_block = false;
};

int count_of(bool has, double product) {
  return has && product >= 0.0 && product < 2e9 ? static_cast<int>(product) : 0;
}

class Handler : public nlohmann::json_sax<Json> {
 public:
  Handler(ExchangeFinder& finder, int process, std::size_t& others, const std::string& path)
      : finder_(finder), process_(process), others_(others), path_(path) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, text);
  }
  bool binary(binary_t&) override { return true; }

  bool string(string_t& text) override {
    if (depth_ == event_ && event_ > 0) {
      if (key_ == "name") event().name.swap(text);
      if (key_ == "ph") event().complete = text == "X";
      if (key_ == "cat") event().kernel = text == "kernel" || text == "Kernel";
    }
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1 && event_ == 0) top_.swap(name);
    if (event_ > 0 && depth_ == event_) key_.swap(name);
    if (event_ > 0 && depth_ == event_ + 1 && key_ == "args") argument_.swap(name);
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0 || (depth_ == 1 && top_ == "traceEvents" && list_ == 0)) {
      list_ = depth_ + 1;
      seen_list_ = true;
    }
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (depth_ == list_) list_ = 0;
    --depth_;
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (list_ > 0 && depth_ == list_ + 1) {
      event_ = depth_;
      current_ = Event{};
      key_.clear();
      argument_.clear();
    }
    return true;
  }
  bool end_object() override {
    if (event_ > 0 && depth_ == event_) {
      take();
      event_ = 0;
    }
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    throw InputError(path_, "malformed JSON at byte " + std::to_string(position),
                     "a whole Chrome trace");
  }

  bool seen_list() const { return seen_list_; }

 private:
  Event& event() { return current_; }

  bool number(double value, const std::string& text) {
    if (event_ == 0) return true;
    if (depth_ == event_) {
      if (key_ == "ts") event().ts_ns = nanoseconds(text);
      if (key_ == "dur") event().dur_ns = nanoseconds(text);
    } else if (key_ == "args" && depth_ == event_ + 1 && argument_ == "device") {
      if (value >= 0.0 && value < 65536.0) event().device = static_cast<int>(value);
    } else if (key_ == "args" && depth_ == event_ + 2 && argument_ == "grid") {
      event().grid *= value;
      event().has_grid = true;
    } else if (key_ == "args" && depth_ == event_ + 2 && argument_ == "block") {
      event().block *= value;
      event().has_block = true;
    }
    return true;
  }

  void take() {
    const Event& event = current_;
    if (!event.complete || !event.kernel) {
      ++others_;
      return;
    }
    KernelEvent kernel;
    kernel.process = process_;
    kernel.device = event.device.value_or(0);
    kernel.start_ns = event.ts_ns.value_or(0);
    kernel.end_ns = kernel.start_ns + event.dur_ns.value_or(0);
    kernel.grid = count_of(event.has_grid, event.grid);
    kernel.threads = count_of(event.has_block, event.block);
    finder_.add(event.name, kernel);
  }

  ExchangeFinder& finder_;
  int process_;
  std::size_t& others_;
  const std::string& path_;
  int depth_ = 0;
  int list_ = 0;   ///< depth inside the list of events, 0 outside
  int event_ = 0;  ///< depth inside the event that is being read, 0 outside
  bool seen_list_ = false;
  std::string top_;
  std::string key_;
  std::string argument_;
  Event current_;
};

}  // namespace

TraceImport import_chrome(const std::vector<std::string>& paths, const TraceOptions& options,
                          const RecordSink& sink) {
  const KernelTable table(options.kernels, options.anchor);
  ExchangeFinder finder(table, options.last);
  std::size_t others = 0;
  for (std::size_t file = 0; file < paths.size(); ++file) {
    GzipBuffer buffer(paths[file]);
    std::istream stream(&buffer);
    // Exceptions of the buffer must come through the stream.
    stream.exceptions(std::ios::badbit);
    Handler handler(finder, static_cast<int>(file), others, paths[file]);
    Json::sax_parse(stream, &handler);
    if (!handler.seen_list())
      throw InputError(paths[file], "holds no events", "a Chrome trace with traceEvents");
  }
  finder.finish();
  TraceImport result = summarise(finder, table, paths, "kineto", options, sink);
  if (others > 0) result.report.skipped["events that are no kernels"] += others;
  return result;
}

}  // namespace fanin::calibrate
