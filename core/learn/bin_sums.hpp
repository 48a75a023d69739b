// core/learn/bin_sums.hpp: sums of gradients by column and bin, from which splits are chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rosewood {

/// Columns of small numbers, one column after another: row r of column c is bin[c * rows + r].
struct BinnedColumns {
  std::span<const std::uint8_t> bin;
  std::span<const std::int32_t> bins;  // how many a column has, up to 256
  std::int64_t rows;

  std::int64_t columns() const { return std::ssize(bins); }
  const std::uint8_t* column(std::int64_t c) const { return bin.data() + c * rows; }
};

/// What is summed: Σ y·x and Σ w·x² give the coefficient of a leaf, Σ w how much it stands for.
struct Moments {
  double slope = 0.0;
  double curve = 0.0;
  double weight = 0.0;

  void operator+=(const Moments& o) {
    slope += o.slope;
    curve += o.curve;
    weight += o.weight;
  }
  Moments operator-(const Moments& o) const {
    return {slope - o.slope, curve - o.curve, weight - o.weight};
  }
};

/// The moments of each row; an empty `weight` is the same as `curve`.
struct RowMoments {
  std::span<const double> slope, curve, weight;
};

/// The sums of all bins of all columns, for the rows of one leaf.
class BinSums {
 public:
  explicit BinSums(std::span<const std::int32_t> bins);

  std::span<Moments> of(std::int64_t c) {
    return std::span(sum_).subspan(start_[c], start_[c + 1] - start_[c]);
  }
  std::span<const Moments> of(std::int64_t c) const {
    return std::span(sum_).subspan(start_[c], start_[c + 1] - start_[c]);
  }

  /// Adds the rows `chosen`, in ascending order (empty: all rows). Each sum has one order, at any
  /// number of threads.
  void add(const BinnedColumns& data, std::span<const std::uint32_t> chosen,
           const RowMoments& values, int threads);

  /// Takes the weights of other sums, of the same columns.
  void set_weights(const BinSums& other);

  /// The sums of the rows that `part` does not have.
  void subtract(const BinSums& part);

 private:
  std::vector<std::size_t> start_;
  std::vector<Moments> sum_;
};

}  // namespace rosewood
