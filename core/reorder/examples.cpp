#include "reorder/examples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reorder/softmax.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t grain = 1 << 14;

void check_range(const ExampleView& x, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    std::int64_t before = -1;
    for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
      const std::int64_t f = x.feature[at];
      if (f < 0 || f >= x.num_features)
        fail<ReorderingError>({"file.damaged", "feature", i}, "example ", i, " has feature ", f,
                              ", expected 0 to ", x.num_features - 1);
      if (f <= before)
        fail<ReorderingError>({"file.damaged", "feature", i}, "example ", i,
                              ": features do not ascend: ", before, ", ", f);
      before = f;
    }
    if (!x.value.empty())
      for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at)
        if (!std::isfinite(x.value[at]))
          fail<ReorderingError>({"file.damaged", "value", i}, "example ", i,
                                " has a value that is NaN or infinite");
  }
}

}  // namespace

void check_examples(const ExampleView& x, int threads) {
  const auto n = static_cast<std::int64_t>(x.feature.size());
  if (x.start.empty() || x.start.front() != 0 || x.start.back() != n)
    fail<ReorderingError>({"file.damaged", "start"}, "offsets do not go from 0 to ", n);
  if (!std::ranges::is_sorted(x.start))
    fail<ReorderingError>({"file.damaged", "start"}, "offsets do not ascend");
  if ((!x.count.empty() && x.count.size() != x.feature.size()) ||
      (!x.value.empty() && x.value.size() != x.feature.size()))
    fail<ReorderingError>({"file.damaged", "count"}, "expected a count for each of ", n,
                          " features");
  parallel_for(x.size(), threads, grain,
               [&](std::int64_t begin, std::int64_t end) { check_range(x, begin, end); });
}

void check_labels(std::span<const std::uint8_t> label, int classes) {
  for (std::size_t i = 0; i < label.size(); ++i)
    if (label[i] >= classes)
      fail<ReorderingError>({"file.damaged", "label", i}, "example ", i, " has the label ",
                            static_cast<int>(label[i]), ", expected 0 to ", classes - 1);
}

ExampleArrays ordered_examples(std::span<const std::int64_t> start,
                               std::span<const std::int32_t> feature, std::span<const float> value,
                               std::int64_t num_features) {
  ExampleArrays made;
  made.start.reserve(start.size());
  made.start.push_back(0);
  made.feature.reserve(feature.size());
  made.value.reserve(feature.size());
  bool all_ones = true;
  std::vector<std::pair<std::int32_t, float>> row;
  for (std::size_t i = 0; i + 1 < start.size(); ++i) {
    row.clear();
    for (std::int64_t at = start[i]; at < start[i + 1]; ++at) {
      const auto f = feature[at];
      if (f < 0 || f >= num_features)
        fail<ReorderingError>({"argument.range", "feature", i}, "example ", i, " has feature ", f,
                              ", expected 0 to ", num_features - 1);
      row.emplace_back(f, value.empty() ? 1.0f : value[at]);
    }
    // Stable: repeated values are added in the order in which they came.
    std::ranges::stable_sort(row, {}, &std::pair<std::int32_t, float>::first);
    for (std::size_t j = 0; j < row.size();) {
      const auto f = row[j].first;
      float sum = 0.0f;
      for (; j < row.size() && row[j].first == f; ++j) sum += row[j].second;
      if (!std::isfinite(sum))
        fail<ReorderingError>({"argument.value", "count", i}, "example ", i, ", feature ", f,
                              ": its value is NaN or infinite");
      if (sum == 0.0f) continue;  // as if it were not stored
      made.feature.push_back(f);
      made.value.push_back(sum);
      all_ones = all_ones && sum == 1.0f;
    }
    made.start.push_back(static_cast<std::int64_t>(made.feature.size()));
  }
  if (all_ones) made.value.clear();
  return made;
}

void gather_examples(const ExampleView& x, std::span<const std::int64_t> index,
                     std::span<const std::int64_t> start, std::span<std::int32_t> feature,
                     std::span<std::uint8_t> count, std::span<float> value, int threads) {
  const auto n = static_cast<std::int64_t>(index.size());
  parallel_for(n, threads, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto from = x.start[index[i]], length = x.start[index[i] + 1] - from;
      std::copy_n(x.feature.begin() + from, length, feature.begin() + start[i]);
      if (!x.count.empty()) std::copy_n(x.count.begin() + from, length, count.begin() + start[i]);
      if (!x.value.empty()) std::copy_n(x.value.begin() + from, length, value.begin() + start[i]);
    }
  });
}

void linear_log_probabilities(const ExampleView& x, std::span<const double> weight, int classes,
                              std::span<double> log_probability, int threads) {
  with_counts(x, [&](auto count) {
    with_classes(classes, [&](auto k_constant) {
      constexpr int K = decltype(k_constant)::value;
      parallel_for(x.size(), threads, grain, [&](std::int64_t begin, std::int64_t end) {
        ClassNumbers<K> score(classes), probability(classes);
        for (std::int64_t i = begin; i < end; ++i) {
          if (i + 8 < end) prefetch_example(x, weight.data(), score.columns(), i + 8);
          score_example<K>(x, count, weight.data(), i, score);
          normalise<K>(score, probability);
          for (int k = 0; k < classes; ++k) log_probability[i * classes + k] = score[k];
        }
      });
    });
  });
}

}  // namespace rosewood
