// core/learn/bin_sums.cpp
#include "learn/bin_sums.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t most_combinations = 256;
constexpr std::int64_t block = 1024;   // rows whose gradients stay in the first cache
constexpr std::int64_t together = 16;  // packs whose sums stay in the second cache
constexpr std::int64_t abreast = 4;    // packs that are read in one loop
// Sums of a pack: equal combinations in a row, which are frequent, need not wait for each other.
constexpr std::int64_t copies = 2;
constexpr std::int64_t room = most_combinations * copies;  // of the sums of a pack

// What is summed of a row: all rows have a slope; curves and weights may be known, or the same.
struct Single {
  double slope;
};
struct Pair {
  double slope, curve;
};
struct Triple {
  double slope, curve, weight, unused;
};

Moments moments(const Single& sum) { return {sum.slope, 0.0, 0.0}; }
Moments moments(const Pair& sum) { return {sum.slope, sum.curve, sum.curve}; }
Moments moments(const Triple& sum) { return {sum.slope, sum.curve, sum.weight}; }

void add_to(Single& sum, const Single& value) { sum.slope += value.slope; }
void add_to(Pair& sum, const Pair& value) {
  sum.slope += value.slope;
  sum.curve += value.curve;
}
void add_to(Triple& sum, const Triple& value) {
  sum.slope += value.slope;
  sum.curve += value.curve;
  sum.weight += value.weight;
}

/// Adds the rows of a block to the sums of `width` packs; place(i) is the number of its i-th row.
/// The order of each sum does not depend on the width.
template <std::int64_t width, class Sum, class Place>
void add_block(Sum* sums, const Sum* value, std::int64_t count, const PackedColumns::Pack* packs,
               Place place) {
  std::array<const std::uint8_t*, width> bin;
  for (std::int64_t k = 0; k < width; ++k) bin[k] = packs[k].combination;
  std::int64_t i = 0;
  for (; i + copies <= count; i += copies)
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      const auto row = place(i + copy);
      for (std::int64_t k = 0; k < width; ++k)
        add_to(sums[room * k + most_combinations * copy + bin[k][row]], value[i + copy]);
    }
  for (; i < count; ++i) {
    const auto row = place(i);
    for (std::int64_t k = 0; k < width; ++k) add_to(sums[room * k + bin[k][row]], value[i]);
  }
}

/// Sums of the packs first..last-1; value(i) is that of the i-th row that is added.
template <class Sum, class Value>
void add_packs(const PackedColumns& data, std::span<const std::uint32_t> chosen, std::int64_t first,
               std::int64_t last, Value value, BinSums& to) {
  const auto count = chosen.empty() ? data.data().rows : std::ssize(chosen);
  const auto packs = data.packs();
  std::vector<Sum> sums(room * together);
  std::array<Sum, block> values;
  for (std::int64_t begin = first; begin < last; begin += together) {
    const auto end = std::min(last, begin + together);
    std::fill(sums.begin(), sums.end(), Sum{});
    for (std::int64_t row = 0; row < count; row += block) {
      const auto size = std::min(block, count - row);
      for (std::int64_t i = 0; i < size; ++i) values[i] = value(row + i);
      const auto add = [&](auto place) {
        auto own = begin;
        for (; own + abreast <= end; own += abreast)
          add_block<abreast>(sums.data() + room * (own - begin), values.data(), size, &packs[own],
                             place);
        for (; own < end; ++own)
          add_block<1>(sums.data() + room * (own - begin), values.data(), size, &packs[own], place);
      };
      if (chosen.empty())
        add([row](std::int64_t i) { return row + i; });
      else
        add([rows = chosen.data() + row](std::int64_t i) { return rows[i]; });
    }
    for (auto own = begin; own < end; ++own) {
      const Sum* sum = sums.data() + room * (own - begin);
      for (std::int32_t c = 0; c < packs[own].combinations; ++c) {
        Moments total;
        for (std::int64_t copy = 0; copy < copies; ++copy)
          total += moments(sum[most_combinations * copy + c]);
        for (const auto& [column, stride] : packs[own].members)
          to.of(column)[c / stride % data.data().bins[column]] += total;
      }
    }
  }
}

}  // namespace

PackedColumns::PackedColumns(const BinnedColumns& data, int threads) : data_(data) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(data.columns()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t c) { return data.bins[c]; });
  for (const auto c : order) {
    if (packs_.empty() || packs_.back().combinations * data.bins[c] > most_combinations)
      packs_.push_back({data.column(c), 1, {}});
    packs_.back().members.push_back({c, packs_.back().combinations});
    packs_.back().combinations *= data.bins[c];
  }
  packed_.resize(packs_.size());
  parallel_for(std::ssize(packs_), threads, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto p = first; p < last; ++p) {
      if (packs_[p].members.size() == 1) continue;
      packed_[p].resize(static_cast<std::size_t>(data_.rows));
      auto* out = packed_[p].data();
      for (const auto& [column, stride] : packs_[p].members) {
        const auto* bin = data_.column(column);
        for (std::int64_t r = 0; r < data_.rows; ++r)
          out[r] = static_cast<std::uint8_t>(out[r] + bin[r] * stride);
      }
      packs_[p].combination = out;
    }
  });
}

BinSums::BinSums(std::span<const std::int32_t> bins) : start_{0} {
  for (const auto count : bins) start_.push_back(start_.back() + static_cast<std::size_t>(count));
  sum_.resize(start_.back());
}

bool BinSums::has_shape(std::span<const std::int32_t> bins) const {
  if (start_.size() != bins.size() + 1) return false;
  for (std::size_t c = 0; c < bins.size(); ++c)
    if (start_[c + 1] - start_[c] != static_cast<std::size_t>(bins[c])) return false;
  return true;
}

void BinSums::add(const PackedColumns& data, std::span<const std::uint32_t> chosen,
                  const RowMoments& values, int threads) {
  RowMoments used = values;
  std::array<std::vector<double>, 3> kept;  // of chosen rows, next to each other
  if (!chosen.empty()) {
    const auto keep = [&](std::span<const double>& all, std::vector<double>& own) {
      if (all.empty()) return;
      own.resize(chosen.size());
      for (std::size_t i = 0; i < chosen.size(); ++i) own[i] = all[chosen[i]];
      all = own;
    };
    keep(used.slope, kept[0]);
    keep(used.curve, kept[1]);
    keep(used.weight, kept[2]);
  }
  const double *slope = used.slope.data(), *curve = used.curve.data(), *weight = used.weight.data();
  const auto count = std::ssize(data.packs());
  parallel_for(count, threads, 1, [&](std::int64_t first, std::int64_t last) {
    const auto add = [&]<class Sum>(auto value) {
      add_packs<Sum>(data, chosen, first, last, value, *this);
    };
    if (used.curve.empty())
      add.template operator()<Single>([=](std::int64_t i) { return Single{slope[i]}; });
    else if (used.weight.empty())
      add.template operator()<Pair>([=](std::int64_t i) { return Pair{slope[i], curve[i]}; });
    else
      add.template operator()<Triple>(
          [=](std::int64_t i) { return Triple{slope[i], curve[i], weight[i], 0.0}; });
  });
}

void BinSums::add_slopes(const PackedColumns& data, std::span<const double> slope, int threads) {
  const auto used = std::ssize(slope) - std::ranges::count(slope, 0.0);
  if (used == 0) return;
  std::vector<std::uint32_t> rows;
  if (used < std::ssize(slope) / 2) {  // else it is faster to read them all
    rows.reserve(static_cast<std::size_t>(used));
    for (std::size_t r = 0; r < slope.size(); ++r)
      if (slope[r] != 0.0) rows.push_back(static_cast<std::uint32_t>(r));
  }
  add(data, rows, {slope, {}, {}}, threads);
}

void BinSums::turn_to_curves(const BinSums* other) {
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    const double curve = sum_[i].slope;
    sum_[i] = {0.0, curve, other ? other->sum_[i].weight : curve};
  }
}

void BinSums::set_curves(const BinSums& other) {
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    sum_[i].curve = other.sum_[i].curve;
    sum_[i].weight = other.sum_[i].weight;
  }
}

void BinSums::subtract(const BinSums& part) {
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] = sum_[i] - part.sum_[i];
}

}  // namespace rosewood
