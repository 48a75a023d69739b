// core/learn/bin_sums.cpp
#include "learn/bin_sums.hpp"

#include <algorithm>
#include <array>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t block = 1024;  // rows whose gradients stay in the first cache
constexpr int copies = 2;  // of a column's sums: equal bins in a row need not wait for each other

struct Pair {
  double slope, curve;
};
struct Triple {
  double slope, curve, weight, unused;
};

Moments moments(const Pair& sum) { return {sum.slope, sum.curve, sum.curve}; }
Moments moments(const Triple& sum) { return {sum.slope, sum.curve, sum.weight}; }

void add_to(Pair& sum, const Pair& value) {
  sum.slope += value.slope;
  sum.curve += value.curve;
}
void add_to(Triple& sum, const Triple& value) {
  sum.slope += value.slope;
  sum.curve += value.curve;
  sum.weight += value.weight;
}

/// Adds the rows of a block to the sums of a column; bin(i) is that of the i-th row.
template <class Sum, class Bin>
inline void add_block(Sum* sums, const Sum* value, std::int64_t count, Bin bin) {
  std::int64_t i = 0;
  for (; i + copies <= count; i += copies)
    for (int copy = 0; copy < copies; ++copy)
      add_to(sums[256 * copy + bin(i + copy)], value[i + copy]);
  for (; i < count; ++i) add_to(sums[bin(i)], value[i]);
}

template <class Sum>
class Worker {
 public:
  Worker(const BinnedColumns& data, std::span<const std::uint32_t> chosen)
      : data_(data), chosen_(chosen) {}

  /// Columns first..last-1; value(r) is that of row r.
  template <class Value>
  void run(std::int64_t first, std::int64_t last, Value value, BinSums& to) {
    const auto count = chosen_.empty() ? data_.rows : std::ssize(chosen_);
    constexpr std::int64_t together = 16;  // columns whose sums stay in the second cache
    std::vector<Sum> sums(256 * copies * together);
    std::array<Sum, block> values;
    for (std::int64_t c = first; c < last; c += together) {
      const auto end = std::min(last, c + together);
      std::fill(sums.begin(), sums.end(), Sum{});
      for (std::int64_t row = 0; row < count; row += block) {
        const auto size = std::min(block, count - row);
        for (std::int64_t i = 0; i < size; ++i)
          values[i] = value(chosen_.empty() ? row + i : chosen_[row + i]);
        for (auto own = c; own < end; ++own) {
          Sum* place = sums.data() + 256 * copies * (own - c);
          const auto* bin = data_.column(own);
          if (chosen_.empty()) {
            add_block(place, values.data(), size,
                      [bin, row](std::int64_t i) { return bin[row + i]; });
          } else {
            const auto* rows = chosen_.data() + row;
            add_block(place, values.data(), size,
                      [bin, rows](std::int64_t i) { return bin[rows[i]]; });
          }
        }
      }
      for (auto own = c; own < end; ++own) {
        const Sum* place = sums.data() + 256 * copies * (own - c);
        auto total = to.of(own);
        for (std::size_t b = 0; b < total.size(); ++b)
          for (int copy = 0; copy < copies; ++copy) total[b] += moments(place[256 * copy + b]);
      }
    }
  }

 private:
  const BinnedColumns& data_;
  std::span<const std::uint32_t> chosen_;
};

}  // namespace

BinSums::BinSums(std::span<const std::int32_t> bins) : start_{0} {
  for (const auto count : bins) start_.push_back(start_.back() + static_cast<std::size_t>(count));
  sum_.resize(start_.back());
}

void BinSums::add(const BinnedColumns& data, std::span<const std::uint32_t> chosen,
                  const RowMoments& values, int threads) {
  const double *slope = values.slope.data(), *curve = values.curve.data(),
               *weight = values.weight.data();
  const bool has_weight = !values.weight.empty();
  parallel_for(data.columns(), threads, 1, [&](std::int64_t first, std::int64_t last) {
    if (has_weight)
      Worker<Triple>(data, chosen)
          .run(
              first, last,
              [=](std::int64_t r) { return Triple{slope[r], curve[r], weight[r], 0.0}; }, *this);
    else
      Worker<Pair>(data, chosen)
          .run(first, last, [=](std::int64_t r) { return Pair{slope[r], curve[r]}; }, *this);
  });
}

void BinSums::set_weights(const BinSums& other) {
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i].weight = other.sum_[i].weight;
}

void BinSums::subtract(const BinSums& part) {
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] = sum_[i] - part.sum_[i];
}

}  // namespace rosewood
