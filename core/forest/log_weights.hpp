// core/forest/log_weights.hpp: log weights of edges, read as Scaled numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "semiring/scaled.hpp"

namespace rosewood {

/// Refuses NaN and +inf, naming the edge; -inf (weight zero) is welcome.
void check_log_weights(std::span<const double> weight);

/// exp of the log weights first, first+1, …, checked as check_log_weights() does.
void load_log_weights(std::span<const double> log_weight, std::int64_t first, std::int64_t count,
                      double* mantissa, double* exponent);

/// weight(e) = exp(log weight of e), exponentials taken a block at a time in either direction.
class LogWeights {
 public:
  explicit LogWeights(std::span<const double> log_weight) : log_weight_(log_weight) {}

  Scaled operator()(std::int64_t e) {
    if (e < first_ || e >= first_ + size) {
      first_ = e / size * size;
      load_log_weights(log_weight_, first_, std::min(size, std::ssize(log_weight_) - first_),
                       mantissa_.data(), exponent_.data());
    }
    const auto i = static_cast<std::size_t>(e - first_);
    return {mantissa_[i], exponent_[i]};
  }

 private:
  static constexpr std::int64_t size = 256;

  std::span<const double> log_weight_;
  std::int64_t first_ = -size;
  std::array<double, size> mantissa_;
  std::array<double, size> exponent_;
};

}  // namespace rosewood
