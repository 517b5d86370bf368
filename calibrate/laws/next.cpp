#include <algorithm>
#include <charconv>
#include <cmath>

#include "fanin/calibrate/law_next.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

constexpr std::size_t kMostPoints = 100000;

double* field_of(model::LawPoint& point, std::string_view name) {
  if (name == "transport_sms") return &point.transport_sms;
  if (name == "channels_per_sm") return &point.channels_per_sm;
  if (name == "sources") return &point.sources;
  if (name == "tokens") return &point.tokens;
  if (name == "tail_interval") return &point.tail_interval;
  if (name == "ranks") return &point.ranks;
  return nullptr;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

double parse_number(const std::string& text) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
      value <= 0.0) {
    throw InputError("--grid", "'" + text + "'", "a number above 0");
  }
  return value;
}

std::vector<double> parse_values(const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : split(text, '|')) {
    const std::vector<std::string> range = split(part, ':');
    if (range.size() == 1) {
      values.push_back(parse_number(part));
    } else if (range.size() == 3) {
      const double last = parse_number(range[1]);
      const double step = parse_number(range[2]);
      for (double v = parse_number(range[0]); v <= last * (1.0 + 1e-12); v += step) {
        values.push_back(v);
        if (values.size() > kMostPoints) throw InputError("--grid", "'" + part + "' is too long");
      }
    } else {
      throw InputError("--grid", "'" + part + "'", "a number, or FIRST:LAST:STEP");
    }
  }
  return values;
}

std::vector<model::LawPoint> points_of(const RunGrid& grid, const model::LawPoint& base) {
  std::vector<model::LawPoint> points{base};
  for (const auto& [field, values] : grid) {
    std::vector<model::LawPoint> grown;
    if (points.size() * values.size() > kMostPoints) {
      throw InputError("--grid", "more than " + std::to_string(kMostPoints) + " runs",
                       "a coarser grid");
    }
    for (const model::LawPoint& point : points) {
      for (const double value : values) {
        grown.push_back(point);
        *field_of(grown.back(), field) = value;
      }
    }
    points = std::move(grown);
  }
  return points;
}

struct Belief {
  double mean = 0.0;
  double sigma = 0.0;  ///< of the law's prediction, from its draws
};

Belief belief_of(const LawFit& fit, const model::LawPoint& point) {
  Belief belief{fit.law->evaluate(fit.values, point), 0.0};
  double squares = 0.0;
  for (const std::vector<double>& values : fit.draws) {
    const double step = fit.law->evaluate(values, point) - belief.mean;
    squares += step * step;
  }
  if (!fit.draws.empty()) {
    belief.sigma = std::sqrt(squares / static_cast<double>(fit.draws.size()));
  }
  return belief;
}

/// Squared distance of each pair of laws in units of their uncertainty and the noise; with one law,
/// its own uncertainty in units of the noise.
std::vector<double> pair_distances(const std::vector<Belief>& beliefs, double noise_pct) {
  std::vector<double> distances;
  const auto noise = [&](double time) { return 1e-2 * noise_pct * time; };
  if (beliefs.size() == 1) {
    const double ratio = beliefs[0].sigma / noise(beliefs[0].mean);
    return {ratio * ratio};
  }
  for (std::size_t i = 0; i < beliefs.size(); ++i) {
    for (std::size_t j = i + 1; j < beliefs.size(); ++j) {
      const double apart = beliefs[i].mean - beliefs[j].mean;
      const double noise_here = noise(0.5 * (beliefs[i].mean + beliefs[j].mean));
      distances.push_back(apart * apart /
                          (beliefs[i].sigma * beliefs[i].sigma +
                           beliefs[j].sigma * beliefs[j].sigma + 2.0 * noise_here * noise_here));
    }
  }
  return distances;
}

bool same_run(const model::LawPoint& a, const model::LawPoint& b) {
  return a.transport_sms == b.transport_sms && a.channels_per_sm == b.channels_per_sm &&
         a.sources == b.sources && a.tokens == b.tokens && a.tail_interval == b.tail_interval;
}

}  // namespace

RunGrid parse_grid(std::string_view text) {
  RunGrid grid;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    model::LawPoint probe;
    const std::string field = part.substr(0, equals);
    if (equals == std::string::npos || field_of(probe, field) == nullptr) {
      throw InputError("--grid", "'" + part + "'",
                       "FIELD=VALUES with transport_sms, channels_per_sm, sources, tokens, "
                       "tail_interval or ranks");
    }
    grid[field] = parse_values(part.substr(equals + 1));
  }
  return grid;
}

std::vector<NextRun> next_runs(const std::vector<const LawFit*>& laws, const LawRows& rows,
                               const RunGrid& grid, std::size_t count, double noise_pct) {
  const std::vector<model::LawPoint> points = points_of(grid, rows.points.front());
  std::vector<NextRun> runs;
  std::vector<std::vector<double>> distances;
  for (const model::LawPoint& point : points) {
    NextRun run{point, {}, 0.0, false};
    std::vector<Belief> beliefs;
    for (const LawFit* fit : laws) {
      beliefs.push_back(belief_of(*fit, point));
      run.predicted_us.push_back(beliefs.back().mean);
    }
    distances.push_back(pair_distances(beliefs, noise_pct));
    for (const double distance : distances.back()) run.separation += distance;
    run.measured = std::any_of(rows.points.begin(), rows.points.end(),
                               [&](const auto& known) { return same_run(known, point); });
    runs.push_back(std::move(run));
  }
  std::vector<NextRun> chosen;
  std::vector<bool> taken(runs.size(), false);
  std::vector<double> told(distances.front().size(), 0.0);  // apart by the runs chosen so far
  while (chosen.size() < std::min(count, runs.size())) {
    std::size_t best = runs.size();
    double most = -1.0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (taken[i]) continue;
      double gain = 0.0;
      for (std::size_t k = 0; k < told.size(); ++k) {
        gain += std::log1p((distances[i][k]) / (1.0 + told[k]));
      }
      if (gain > most) {
        most = gain;
        best = i;
      }
    }
    taken[best] = true;
    for (std::size_t k = 0; k < told.size(); ++k) told[k] += distances[best][k];
    chosen.push_back(runs[best]);
  }
  return chosen;
}

}  // namespace fanin::calibrate
