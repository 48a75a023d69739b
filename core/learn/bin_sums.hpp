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

/// The same columns, those of few bins packed: as many as have at most 256 combinations are one
/// byte, the number of their combination. Sums by combination give the sums of each column, so
/// eight indicators cost as much as one column of 256 bins. The columns must outlive it.
class PackedColumns {
 public:
  /// Bin b of a column is part of the combinations c with c / stride % bins == b.
  struct Member {
    std::int64_t column;
    std::int32_t stride;
  };
  struct Pack {
    const std::uint8_t* combination;  // of each row
    std::int32_t combinations;
    std::vector<Member> members;
  };

  PackedColumns(const BinnedColumns& data, int threads);
  PackedColumns(PackedColumns&&) = default;

  const BinnedColumns& data() const { return data_; }
  std::span<const Pack> packs() const { return packs_; }

 private:
  BinnedColumns data_;
  std::vector<std::vector<std::uint8_t>> packed_;
  std::vector<Pack> packs_;
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

/// The moments of each row. An empty `weight` is the same as `curve`; an empty `curve` is zero.
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
  bool has_shape(std::span<const std::int32_t> bins) const;

  /// Adds the rows `chosen`, in ascending order (empty: all rows). Each sum has one order, at any
  /// number of threads.
  void add(const PackedColumns& data, std::span<const std::uint32_t> chosen,
           const RowMoments& values, int threads);

  /// Adds slopes of all rows, and reads none but those that have one where these are few.
  void add_slopes(const PackedColumns& data, std::span<const double> slope, int threads);

  /// Takes curves and weights of other sums, of the same columns.
  void set_curves(const BinSums& other);
  /// Turns slopes into curves; weights are those of `other`, or the same.
  void turn_to_curves(const BinSums* other);

  /// The sums of the rows that `part` does not have.
  void subtract(const BinSums& part);

 private:
  std::vector<std::size_t> start_;
  std::vector<Moments> sum_;
};

}  // namespace rosewood
