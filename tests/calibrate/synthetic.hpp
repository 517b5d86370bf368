// A machine in closed form, so that a fit's answer is known.
#pragma once

#include <algorithm>

#include "fanin/calibrate/calibration.hpp"

namespace fanin::calibrate::synthetic {

/// constant + max(C·requester, C·S·responder) + S·T·chain/1000, which tells all four apart.
inline Prediction two_servers(const model::Exchange& e, const hw::Profile& p) {
  const double posted = 1e-3 * e.channels() * p.value("nic.requester.fetch_add");
  const double served = 1e-3 * e.channels() * e.sources() * p.value("nic.responder.fetch_add");
  return {p.value("hybrid.constant") + std::max(posted, served) +
              1e-3 * e.sources() * e.tokens * p.value("hybrid.combine_chain_row"),
          {},
          {}};
}

/// The same when requester and responder change places.
inline Prediction mirrored(const model::Exchange& e, const hw::Profile& p) {
  const double a = p.value("nic.requester.fetch_add");
  const double b = p.value("nic.responder.fetch_add");
  return {p.value("hybrid.constant") +
              1e-3 * e.channels() * (e.sources() * std::max(a, b) + 0.5 * std::min(a, b)),
          {},
          {}};
}

inline void declare(hw::Profile& profile, const std::string& name, double prior, double factor) {
  hw::Parameter parameter;
  parameter.value = prior;
  parameter.unit = std::string(hw::find_parameter(name)->unit);
  parameter.reference = "test";
  parameter.fit = hw::FitDeclaration{prior, factor, ""};
  profile.parameters[name] = parameter;
}

/// Priors away from `machine`'s values.
inline hw::Profile start() {
  hw::Profile profile;
  profile.name = "start";
  profile.cluster = "made";
  declare(profile, "hybrid.constant", 40.0, 2.0);
  declare(profile, "nic.requester.fetch_add", 30.0, 3.0);
  declare(profile, "nic.responder.fetch_add", 30.0, 3.0);
  declare(profile, "hybrid.combine_chain_row", 20.0, 3.0);
  return profile;
}

inline hw::Profile machine() {
  hw::Profile profile = start();
  profile.parameters["hybrid.constant"].value = 55.0;
  profile.parameters["nic.requester.fetch_add"].value = 80.0;
  profile.parameters["nic.responder.fetch_add"].value = 45.0;
  profile.parameters["hybrid.combine_chain_row"].value = 60.0;
  return profile;
}

inline std::vector<Record> rows(const Predictor& predictor, const hw::Profile& profile) {
  std::vector<Record> records;
  for (const int sources : {1, 2, 3}) {
    for (const int sms : {8, 16, 24, 32, 48}) {
      for (const int tokens : {1, 128}) {
        Record record;
        record.id = "M" + std::to_string(records.size());
        record.set = tokens == 1 ? "small" : "large";
        record.cluster = "made";
        record.exchange.attention_ranks = 4 * sources;
        record.exchange.transport_sms = sms;
        record.exchange.tokens = tokens;
        record.median_us = predictor(record.exchange, profile).exchange_us;
        record.json = "{\"id\":\"" + record.id + "\"}";
        records.push_back(record);
      }
    }
  }
  return records;
}

inline CalibrationOptions quick() {
  CalibrationOptions options;
  options.splits = false;
  return options;
}

}  // namespace fanin::calibrate::synthetic
