// core/lm/quantise.cpp: the best few numbers for many.
#include "lm/quantise.hpp"

#include <algorithm>
#include <bit>

#include "lm/walk.hpp"

namespace rosewood {

namespace {

constexpr int dropped_bits = 11;  // a class holds numbers that differ by less than one in 4000
constexpr int rounds = 40;

/// Numbers as whole numbers in the same order.
std::uint32_t ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

}  // namespace

Histogram::Histogram() : counts_(std::size_t{1} << (32 - dropped_bits)), sums_(counts_.size()) {}

void Histogram::add(float value) {
  const std::uint32_t place = ordered(value) >> dropped_bits;
  ++counts_[place];
  sums_[place] += value;
}

std::vector<float> Histogram::centres(std::size_t most) const {
  std::vector<double> value, weight;
  double total = 0.0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (!counts_[i]) continue;
    weight.push_back(static_cast<double>(counts_[i]));
    value.push_back(sums_[i] / weight.back());
    total += weight.back();
  }
  std::vector<double> centre;
  if (value.size() <= most) {
    centre = value;
  } else {
    // Where the k-th of `most` equal shares ends, the next one begins.
    double seen = 0.0, sum = 0.0, mass = 0.0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      sum += value[i] * weight[i];
      mass += weight[i];
      seen += weight[i];
      const double share = total * static_cast<double>(centre.size() + 1);
      if (seen * static_cast<double>(most) < share && i + 1 < value.size()) continue;
      if (centre.size() < most) centre.push_back(sum / mass);
      sum = mass = 0.0;
    }
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> next;
      std::size_t i = 0;
      for (std::size_t c = 0; c < centre.size(); ++c) {
        const bool is_last = c + 1 == centre.size();
        const double limit = is_last ? 0.0 : (centre[c] + centre[c + 1]) / 2;
        sum = mass = 0.0;
        for (; i < value.size() && (is_last || value[i] < limit); ++i) {
          sum += value[i] * weight[i];
          mass += weight[i];
        }
        if (mass > 0.0) next.push_back(sum / mass);
      }
      if (next == centre) break;
      centre.swap(next);
    }
  }
  std::vector<float> rounded(centre.begin(), centre.end());
  rounded.erase(std::unique(rounded.begin(), rounded.end()), rounded.end());
  return rounded;
}

Codebook::Codebook(const Histogram& seen, int bits, bool keeps_zeros)
    : zeros_(keeps_zeros ? std::min(2, bits) : 0) {
  const std::size_t codes = std::size_t{1} << bits;
  const float zeros[] = {-0.0F, 0.0F};
  values_.assign(zeros, zeros + zeros_);
  const std::vector<float> centres = seen.centres(codes - zeros_);
  values_.insert(values_.end(), centres.begin(), centres.end());
  used_ = values_.size();
  values_.resize(codes, 0.0F);
}

std::uint32_t Codebook::code(float value) const {
  if (zeros_ > 0 && is_dead_end(value)) return 0;
  if (zeros_ > 1 && value == 0.0F) return 1;
  const auto first = values_.begin() + static_cast<std::ptrdiff_t>(zeros_);
  const auto last = values_.begin() + static_cast<std::ptrdiff_t>(used_);
  auto above = std::lower_bound(first, last, value);
  if (above == last || (above != first && value - above[-1] < *above - value)) --above;
  return static_cast<std::uint32_t>(above - values_.begin());
}

}  // namespace rosewood
