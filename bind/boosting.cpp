// bind/boosting.cpp: regression trees.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bind.hpp"
#include "learn/tree_growth.hpp"
#include "util/parallel.hpp"

namespace rosewood::bind {

namespace {

/// Bins of columns, checked and packed once; kept alive.
struct BinsHandle {
  nb::ndarray<const std::uint8_t, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu> bin;
  In<std::int32_t> bins;
  PackedColumns packed;
};

void make_bins(
    BinsHandle* made,
    nb::ndarray<const std::uint8_t, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu> bin,
    In<std::int32_t> bins, int threads) {
  const auto columns = bin.shape(0), rows = bin.shape(1);
  check_size("bins", bins.size(), columns);
  if (rows > 0xffffffffU)
    fail<TuningError>({"argument.range", "rows", rows}, "there are more than 2^32 - 1 rows");
  const BinnedColumns view{
      {bin.data(), columns * rows}, span_of(bins), static_cast<std::int64_t>(rows)};
  parallel_for(view.columns(), threads, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto c = first; c < last; ++c) {
      if (view.bins[c] < 1 || view.bins[c] > 256)
        fail<TuningError>({"argument.range", "bins", c}, "column ", c, " has ", view.bins[c],
                          " bins, expected 1 to 256");
      const auto* own = view.column(c);
      if (rows > 0 && *std::max_element(own, own + rows) >= view.bins[c])
        fail<TuningError>({"argument.range", "bin", c}, "column ", c, " has a bin beyond its ",
                          view.bins[c]);
    }
  });
  new (made) BinsHandle{std::move(bin), std::move(bins), PackedColumns(view, threads)};
}

void check_numbers(const char* what, std::span<const double> values, double least) {
  for (const double value : values)
    if (!std::isfinite(value) || value < least)
      fail<TuningError>({"argument.range", what}, what, " has the number ", value);
}

void check_columns(const char* what, const BinSums* sums, const BinsHandle& data) {
  if (sums && !sums->has_shape(data.packed.data().bins))
    fail<TuningError>({"argument.shape", what}, what, " are sums of other columns");
}

}  // namespace

void bind_boosting(nb::module_& m) {
  nb::class_<BinsHandle>(m, "BinnedColumns", "Columns of bins, one after another.")
      .def("__init__", &make_bins, "bin"_a.noconvert(), "bins"_a.noconvert(), "threads"_a = 1,
           "Row r of column c is bin[c, r], less than bins[c].");
  m.def(
      "grow_tree",
      [](const BinsHandle& data, In<double> slope, In<double> curve, In<double> weight, int leaves,
         double min_weight, double l2, int threads, const BinSums* known) {
        const auto rows = static_cast<std::size_t>(data.packed.data().rows);
        check_size("slope", slope.size(), rows);
        check_size("curve", curve.size(), rows);
        if (weight.size() > 0) check_size("weight", weight.size(), rows);
        if (leaves < 1 || leaves > 256)
          fail<TuningError>({"argument.range", "leaves", leaves}, "a tree has 1 to 256 leaves");
        check_numbers("slope", span_of(slope), -std::numeric_limits<double>::max());
        check_numbers("curve", span_of(curve), 0.0);
        check_numbers("weight", span_of(weight), 0.0);
        check_columns("known", known, data);
        GrownTree tree;
        {
          nb::gil_scoped_release release;
          tree = grow_tree(data.packed, {span_of(slope), span_of(curve), span_of(weight)},
                           {leaves, min_weight, l2}, threads, known);
        }
        std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t, double>> splits;
        for (const auto& each : tree.split)
          splits.emplace_back(each.leaf, each.column, each.bin, each.gain);
        return std::tuple{splits, to_numpy(std::move(tree.value)), to_numpy(std::move(tree.weight)),
                          to_numpy(std::move(tree.leaf_of)), tree.explained};
      },
      "data"_a, "slope"_a.noconvert(), "curve"_a.noconvert(), "weight"_a.noconvert(), "leaves"_a,
      "min_weight"_a, "l2"_a, "threads"_a = 1, "known"_a.none() = nb::none(),
      "A regression tree: splits (leaf, column, bin, gain), coefficients and weights of leaves, "
      "the leaf of each row, and how much less squared error there is. `known` are sums of the "
      "same curves and weights, which need not be summed again in each round.");
  nb::class_<BinSums>(m, "BinSums", "Sums of curves and weights by column and bin.");
  m.def(
      "sum_curves",
      [](const BinsHandle& data, In<double> curve, const BinSums* weights, int threads) {
        check_size("curve", curve.size(), static_cast<std::size_t>(data.packed.data().rows));
        check_numbers("curve", span_of(curve), 0.0);
        check_columns("weights", weights, data);
        nb::gil_scoped_release release;
        return sum_curves(data.packed, span_of(curve), weights, threads);
      },
      "data"_a, "curve"_a.noconvert(), "weights"_a.none() = nb::none(), "threads"_a = 1,
      "Sums of curves of all rows, by column and bin. Weights are those of other sums, or the "
      "same as curves.");
}

}  // namespace rosewood::bind
