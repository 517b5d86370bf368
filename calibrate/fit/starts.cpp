#include "starts.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace fanin::calibrate {
namespace {

double halton(std::size_t index, int base) {
  double result = 0.0;
  double fraction = 1.0;
  for (std::size_t i = index; i > 0; i /= static_cast<std::size_t>(base)) {
    fraction /= base;
    result += fraction * static_cast<double>(i % static_cast<std::size_t>(base));
  }
  return result;
}

bool is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

std::vector<Eigen::VectorXd> search_starts(const FitPlan& plan, int count) {
  std::vector<Eigen::VectorXd> starts = {vector_of(plan.start_logs())};
  const Eigen::VectorXd prior = vector_of(plan.prior_logs());
  if (count > 1 && (prior - starts.front()).cwiseAbs().maxCoeff() > 1e-9) starts.push_back(prior);
  const boost::math::normal standard;
  // The first points of a Halton sequence lie on a line in its high dimensions.
  for (std::size_t index = 20; static_cast<int>(starts.size()) < count; ++index) {
    Eigen::VectorXd logs = prior;
    int base = 1;
    for (std::size_t j = 0; j < plan.size(); ++j) {
      do ++base;
      while (!is_prime(base));
      logs[static_cast<Eigen::Index>(j)] +=
          std::log(plan.free()[j].factor) * boost::math::quantile(standard, halton(index, base));
    }
    starts.push_back(logs);
  }
  return starts;
}

}  // namespace fanin::calibrate
