// A latency law: a closed form T = f(parameters; channels, sources, tokens …) of one exchange.
//
// Every law here is a sum of terms `parameter × feature`, of which some compete: terms of branch 0
// are always added, and of the other branches only the largest counts (resources that work side by
// side: the slowest sets the time). A law without competing branches is linear in its parameters.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace fanin::model {

/// What laws see of an exchange. A law reads only the fields that it lists in `fields`.
struct LawPoint {
  double transport_sms = 0.0;  ///< SMs of dispatch and combine
  double channels_per_sm = 8.0;
  double sources = 0.0;        ///< S: Attention domains per FFN domain (nvlink: Attention ranks)
  double tokens = 0.0;         ///< T, of one Attention GPU
  double tail_interval = 3.0;  ///< tokens between two tail updates of one (channel, source)
  double ranks = 0.0;          ///< all GPUs that take part

  double channels() const { return transport_sms * channels_per_sm; }
};

struct LawParameter {
  std::string_view name;     ///< as in the formula
  std::string_view unit;     ///< "us" or "ns", of the term when its feature is 1
  std::string_view meaning;  ///< one sentence
};

struct LawTerm {
  std::size_t parameter;               ///< index into Law::parameters
  int branch;                          ///< 0: always added; 1…: competes with the other branches
  double (*feature)(const LawPoint&);  ///< finite for every point with positive fields
};

class Law {
 public:
  std::string_view name;     ///< as in commands and JSON, e.g. "competing_resources"
  std::string_view title;    ///< what it claims, a few words
  std::string_view formula;  ///< with the parameters' names, C, S, T, n = SMs, N = ranks
  std::vector<LawParameter> parameters;
  std::vector<std::string_view>
      fields;  ///< record fields that it reads, of those without a default
  std::vector<LawTerm> terms;

  bool linear() const { return branches() == 0; }

  /// Number of competing branches, 0 or ≥ 2.
  int branches() const;

  /// Time in µs. `values` in the parameters' own units, one each.
  double evaluate(std::span<const double> values, const LawPoint& point) const;

  /// d evaluate / d values, µs per unit, into `gradient` (one each). Where branches tie, the
  /// derivative of the first of them.
  void gradient(std::span<const double> values, const LawPoint& point,
                std::span<double> gradient) const;

  /// Branch that is largest at `point`: 1…branches(); 0 when the law is linear.
  int active_branch(std::span<const double> values, const LawPoint& point) const;
};

/// µs in one unit of a law's parameter. Throws std::logic_error for units that no law uses.
double microseconds_per(std::string_view unit);

/// Number of tail updates that one source sends to one FFN GPU: the sum over its channels of
/// floor(rows on the channel / tail interval) + 1, rows dealt to channels one by one. C at T = 1.
double tail_updates(const LawPoint& point);

/// Rows of one source on its busiest channel, ceil(T / C).
double busiest_channel_rows(const LawPoint& point);

}  // namespace fanin::model
