// core/lm/estimator.hpp: text into a back-off model, step by step, so that whoever calls can show
// how far it has come, choose discounts, and go on after a stop. No Python here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lm/counts.hpp"
#include "lm/smoothing.hpp"

namespace rosewood {

class NgramEstimator {
 public:
  NgramEstimator(int order, std::uint64_t words, std::vector<std::uint64_t> cutoffs, SortRoom room);

  void expect(std::uint64_t places) { counter().expect(places); }
  void add(std::span<const std::uint32_t> text, std::span<const std::int64_t> ends);
  void count();
  /// For each order: n-grams, those that are not cut, and those with count 1, 2, 3 and 4.
  std::vector<std::array<std::uint64_t, 6>> sizes();
  bool is_in_memory() { return smoother().is_in_memory(); }
  /// Instead of text and counting: what another one left in the folder when it had counted sizes()
  /// and smoothed as many orders.
  void go_on(const std::vector<std::array<std::uint64_t, 6>>& sizes, int done);
  void smooth(int n, const std::array<double, 3>& discounts);
  NgramTable finish();

 private:
  NgramCounter& counter();
  Smoother& smoother();

  SortRoom room_;
  std::uint64_t words_;
  int done_ = 0;  // orders that have probabilities
  std::unique_ptr<NgramCounter> counter_;
  std::unique_ptr<Smoother> smoother_;
};

}  // namespace rosewood
