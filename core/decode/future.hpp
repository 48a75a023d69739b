// core/decode/future.hpp: what words that are still to be translated will cost. No Python here.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "decode/coverage.hpp"

namespace rosewood {

/// An estimate: the best options for each run of words by themselves, without what stands around
/// them; and the least that jumping to these runs costs, taken from left to right.
class FutureScores {
 public:
  /// Runs that do not reach the end of the sentence have up to `longest` words.
  FutureScores(std::int32_t words, std::int32_t longest, double distortion_weight)
      : words_(words),
        longest_(longest),
        jump_(distortion_weight > 0 ? distortion_weight : 0),
        to_end_(static_cast<std::size_t>(words) + 1, nothing),
        within_(static_cast<std::size_t>(words) * (static_cast<std::size_t>(longest) + 1),
                nothing) {
    to_end_[static_cast<std::size_t>(words)] = 0;
  }

  /// Options of words begin .. end-1, the best of which has this score. Beginnings descend.
  void add(std::int32_t begin, std::int32_t end, double score) {
    double& rest = to_end_[static_cast<std::size_t>(begin)];
    rest = std::max(rest, score + to_end_[static_cast<std::size_t>(end)]);
    for (std::int32_t to = end; to <= std::min(words_, begin + longest_); ++to) {
      double& here = within_[place(begin, to)];
      here = std::max(here, score + within(end, to));
    }
  }

  /// After the words in `coverage`, and then words begin .. end-1, were translated.
  double operator()(const Coverages& coverages, std::int32_t coverage, std::int32_t begin,
                    std::int32_t end) const {
    double score = 0;
    std::int64_t jumps = 0;
    std::int32_t at = end;
    const auto add = [&](std::int32_t first, std::int32_t last) {
      if (first == last) return;
      score += last == words_ ? to_end_[static_cast<std::size_t>(first)] : within(first, last);
      jumps += std::abs(first - at);
      at = last;
    };
    coverages.for_each_gap(coverage, [&](std::int32_t first, std::int32_t last) {
      if (first <= begin && begin < last) {
        add(first, begin);
        add(end, last);
      } else {
        add(first, last);
      }
    });
    return score - jump_ * static_cast<double>(jumps);
  }

 private:
  static constexpr double nothing = -std::numeric_limits<double>::infinity();

  std::size_t place(std::int32_t begin, std::int32_t end) const {
    return static_cast<std::size_t>(begin) * (static_cast<std::size_t>(longest_) + 1) +
           static_cast<std::size_t>(end - begin);
  }
  double within(std::int32_t begin, std::int32_t end) const {
    return begin == end ? 0 : within_[place(begin, end)];
  }

  std::int32_t words_, longest_;
  double jump_;
  std::vector<double> to_end_, within_;
};

}  // namespace rosewood
