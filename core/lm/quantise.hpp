// core/lm/quantise.hpp: few numbers that stand for many. No Python here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rosewood {

/// Numbers counted in fine classes, so that memory does not grow with how many there are.
class Histogram {
 public:
  Histogram();
  void add(float value);
  /// Up to `most` numbers, ascending, so that what is added is near to one of them: the means of
  /// equally many, then moved until each is the mean of what is nearest to it.
  std::vector<float> centres(std::size_t most) const;

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<double> sums_;
};

/// The numbers of an order and their codes.
class Codebook {
 public:
  /// For back-offs, -0.0 and 0.0 keep codes of their own where there are codes for that: what has
  /// no longer n-gram must stay so.
  Codebook(const Histogram& seen, int bits, bool keeps_zeros);

  std::uint32_t code(float value) const;
  /// Of each code; as many as there are codes.
  std::span<const float> values() const { return values_; }

 private:
  std::size_t zeros_;  // codes that are kept for them
  std::size_t used_;
  std::vector<float> values_;
};

}  // namespace rosewood
