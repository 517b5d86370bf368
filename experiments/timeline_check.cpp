#include "timeline_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "fanin/calibrate/timeline.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"
#include "prediction.hpp"
#include "table.hpp"

namespace fanin::experiments {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// The `nth` span of that kernel on that device, in order of launch.
const model::KernelSpan* find_span(const std::vector<model::KernelSpan>& spans, int device,
                                   const std::string& kernel, int nth) {
  for (const model::KernelSpan& span : spans) {
    if (span.device == device && span.kernel == kernel && nth-- == 0) return &span;
  }
  return nullptr;
}

void check_points(const calibrate::Timeline& timeline, const hw::Profile& profile,
                  TimelineCheck& check) {
  if (timeline.points.empty()) return;
  model::SimulationOptions options;
  options.explain = false;
  options.record_points = true;
  const std::vector<model::PointTimes> simulated =
      model::simulate(timeline.exchange, profile, options).points;
  for (const calibrate::TimelinePoint& point : timeline.points) {
    const auto found =
        std::find_if(simulated.begin(), simulated.end(), [&](const model::PointTimes& other) {
          return other.device == point.device && other.point == point.point;
        });
    if (found == simulated.end()) {
      ++check.skipped["point " + point.point + " is not simulated"];
      continue;
    }
    check.points.push_back(
        {timeline.trace, point.device, point.point, found->first.us() - point.first_us,
         found->median.us() - point.median_us, found->last.us() - point.last_us});
  }
}

void check_trace(const calibrate::Timeline& timeline, const hw::Profile& profile,
                 TimelineCheck& check) {
  check_points(timeline, profile, check);
  const Prediction prediction = predict(timeline.exchange, profile);
  const double period = timeline.period_us.value_or(prediction.result.exchange.us());
  std::map<std::pair<int, std::string>, int> seen;
  for (const calibrate::TimelineSpan& span : timeline.spans) {
    if (!span.start_us || !span.end_us) continue;
    const int nth = seen[{span.device, span.kernel}]++;
    const model::KernelSpan* simulated =
        find_span(prediction.result.kernels, span.device, span.kernel, nth);
    if (!simulated) {
      ++check.skipped["kernel " + span.kernel + " is not simulated"];
      continue;
    }
    check.kernels.push_back({timeline.trace, span.device, span.kernel,
                             simulated->start.us() - *span.start_us,
                             simulated->end.us() - *span.end_us, period});
  }
}

}  // namespace

double TimelineCheck::median_abs_us() const {
  std::vector<double> errors;
  for (const CheckedKernel& kernel : kernels) {
    errors.push_back(std::abs(kernel.start_error_us));
    errors.push_back(std::abs(kernel.end_error_us));
  }
  return median(std::move(errors));
}

double TimelineCheck::points_median_abs_us() const {
  std::vector<double> errors;
  for (const CheckedPoint& point : points) {
    for (const double error : {point.first_error_us, point.median_error_us, point.last_error_us})
      errors.push_back(std::abs(error));
  }
  return median(std::move(errors));
}

double TimelineCheck::median_abs_pct() const {
  std::vector<double> errors;
  for (const CheckedKernel& kernel : kernels) {
    errors.push_back(100.0 * std::abs(kernel.start_error_us) / kernel.period_us);
    errors.push_back(100.0 * std::abs(kernel.end_error_us) / kernel.period_us);
  }
  return median(std::move(errors));
}

TimelineCheck check_timelines(const std::vector<std::string>& files, const std::string& profile) {
  const calibrate::TimelineSet set = calibrate::read_timelines(files);
  TimelineCheck check{{}, {}, set.skipped};
  for (const calibrate::Timeline& timeline : set.timelines) {
    const bool placed =
        std::any_of(timeline.spans.begin(), timeline.spans.end(),
                    [](const calibrate::TimelineSpan& span) { return span.start_us.has_value(); });
    if (!placed && timeline.points.empty()) {
      ++check.skipped["trace with durations only"];
      continue;
    }
    try {
      check_trace(timeline, hw::find_profile(profile.empty() ? timeline.cluster : profile), check);
    } catch (const InputError& error) {
      ++check.skipped[error.where() + ": " + error.problem()];
    }
  }
  return check;
}

Json to_json(const TimelineCheck& check) {
  Json json{{"n", check.kernels.size()},
            {"median_abs_us", check.median_abs_us()},
            {"median_abs_pct_of_period", check.median_abs_pct()},
            {"kernels", Json::array()},
            {"points", Json::array()},
            {"skipped", check.skipped}};
  for (const CheckedKernel& kernel : check.kernels) {
    json["kernels"].push_back({{"trace", kernel.trace},
                               {"device", kernel.device},
                               {"kernel", kernel.kernel},
                               {"start_error_us", kernel.start_error_us},
                               {"end_error_us", kernel.end_error_us},
                               {"period_us", kernel.period_us}});
  }
  if (!check.points.empty()) json["points_median_abs_us"] = check.points_median_abs_us();
  for (const CheckedPoint& point : check.points) {
    json["points"].push_back({{"trace", point.trace},
                              {"device", point.device},
                              {"point", point.point},
                              {"first_error_us", point.first_error_us},
                              {"median_error_us", point.median_error_us},
                              {"last_error_us", point.last_error_us}});
  }
  return json;
}

namespace {

void print_points(const TimelineCheck& check) {
  if (check.points.empty()) return;
  std::map<std::string, std::vector<double>> errors[3];
  for (const CheckedPoint& point : check.points) {
    errors[0][point.point].push_back(point.first_error_us);
    errors[1][point.point].push_back(point.median_error_us);
    errors[2][point.point].push_back(point.last_error_us);
  }
  Table table({"point", "rows", "first: median us", "median: median us", "last: median us"});
  for (const auto& [point, firsts] : errors[0]) {
    table.row({point, std::to_string(firsts.size()), fixed(median(firsts), 2),
               fixed(median(errors[1][point]), 2), fixed(median(errors[2][point]), 2)});
  }
  std::puts("\nstamped points against the traces, predicted - measured");
  table.print();
  std::printf("all: median %s us away\n", fixed(check.points_median_abs_us(), 2).c_str());
}

}  // namespace

void print(const TimelineCheck& check) {
  std::map<std::string, std::vector<double>> by_kernel[2];
  for (const CheckedKernel& kernel : check.kernels) {
    by_kernel[0][kernel.kernel].push_back(std::abs(kernel.start_error_us));
    by_kernel[1][kernel.kernel].push_back(std::abs(kernel.end_error_us));
  }
  Table table({"kernel", "spans", "start: median us", "end: median us"});
  for (const auto& [kernel, starts] : by_kernel[0]) {
    table.row({kernel, std::to_string(starts.size()), fixed(median(starts), 2),
               fixed(median(by_kernel[1][kernel]), 2)});
  }
  std::puts("\nkernel starts and ends against the traces, absolute errors");
  table.print();
  std::printf("all: median %s us, %s%% of the period\n", fixed(check.median_abs_us(), 2).c_str(),
              fixed(check.median_abs_pct(), 2).c_str());
  print_points(check);
  for (const auto& [reason, count] : check.skipped) {
    std::printf("skipped: %zu × %s\n", count, reason.c_str());
  }
}

}  // namespace fanin::experiments
