// The flags that describe an exchange, the same in every verb, and record fields by the same names.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/model/exchange.hpp"

namespace fanin::experiments {

/// One flag: its name without dashes, and what help says.
struct ExchangeFlag {
  std::string_view name;
  std::string_view help;
};
const std::vector<ExchangeFlag>& exchange_flags();

/// Values of exchange flags as text, by name. What is absent takes the default.
class ExchangeSettings {
 public:
  /// Throws InputError ("--NAME: …") for a name that is no exchange flag.
  void set(const std::string& name, const std::string& value);
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  /// The text given for that flag, else `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise = {}) const;

  /// Preset first, then the other flags; `sources` and the ranks that nvlink shares resolved; a
  /// random routing drawn, a routing file read. Throws InputError that names the flag, or lists
  /// everything that Exchange::validate() finds.
  model::Exchange exchange() const;

  /// --profile, else the cluster that recorded measurements of the exchange's path come from.
  hw::Profile profile() const { return hw::find_profile(profile_name()); }
  std::string profile_name() const;

 private:
  std::map<std::string, std::string> values_;
};

/// The flags of a verb that works on one exchange, or, as a grid, on all combinations of values
/// that commas separate.
class ExchangeFlags {
 public:
  /// `grid`: flags take lists, as in --tokens 1,8,32 and --fix none,4,4+8.
  void add_to(CLI::App& verb, bool grid = false);

  /// The one exchange described.
  ExchangeSettings settings() const;
  model::Exchange exchange() const { return settings().exchange(); }
  hw::Profile profile() const { return settings().profile(); }

  /// One entry for each combination, the last flag varying fastest, in the order of
  /// exchange_flags().
  std::vector<ExchangeSettings> grid() const;
  /// Names of the flags that were given, in the order of exchange_flags().
  std::vector<std::string> given() const;
  /// Text of one flag as given; empty when absent.
  std::string given_text(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> given_;
};

/// "random:SEED" drawn for `exchange`, each token's top-k experts distinct and even over all
/// experts; or a JSON file {"top_k", "tokens", "attention_ranks", "experts": [...]}. Null for
/// "random".
std::shared_ptr<const model::RoutingTable> read_routing(const std::string& text,
                                                        const model::Exchange& exchange);

}  // namespace fanin::experiments
