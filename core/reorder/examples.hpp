// core/reorder/examples.hpp: labelled sparse examples of classifiers, as flat arrays. No Python
// here.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "util/prefetch.hpp"

namespace rosewood {

/// Example i has the features feature[start[i]:start[i+1]], strictly ascending, with their counts
/// or values; at most one of `count` and `value` is not empty, and without both all are 1.
struct ExampleView {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> feature;
  std::span<const std::uint8_t> count;
  std::span<const float> value;
  std::int64_t num_features = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

constexpr int max_classes = 255;

/// Doubles of a feature's row of weights: one for each class, and zeros so that a row of up to
/// eight classes never lies in two cache lines.
constexpr int row_width(int classes) {
  return classes <= 2 ? 2 : classes <= 4 ? 4 : (classes + 7) / 8 * 8;
}

/// What a feature of an example counts, for loops that are compiled for each kind.
struct AllOnes {
  double operator()(std::int64_t) const { return 1.0; }
};
template <class T>
struct Counted {
  const T* count;
  double operator()(std::int64_t at) const { return static_cast<double>(count[at]); }
};

template <class Body>
void with_counts(const ExampleView& x, Body&& body) {
  if (!x.count.empty())
    body(Counted<std::uint8_t>{x.count.data()});
  else if (!x.value.empty())
    body(Counted<float>{x.value.data()});
  else
    body(AllOnes{});
}

/// Calls body with the number of classes as a constant where it is small, and with 0 elsewhere.
template <class Body>
void with_classes(int classes, Body&& body) {
  switch (classes) {
    case 2:
      return body(std::integral_constant<int, 2>{});
    case 3:
      return body(std::integral_constant<int, 3>{});
    case 4:
      return body(std::integral_constant<int, 4>{});
    default:
      return body(std::integral_constant<int, 0>{});
  }
}

/// Numbers of one example, one for each class and as wide as a row of weights.
template <int K>
struct ClassNumbers {
  explicit ClassNumbers(int classes) : count(classes), width(row_width(classes)) {}
  double& operator[](int k) { return at[k]; }
  double operator[](int k) const { return at[k]; }
  int classes() const { return K > 0 ? K : count; }
  int columns() const { return K > 0 ? row_width(K) : width; }

  int count, width;
  alignas(32) double at[K > 0 ? row_width(K) : 256] = {};
};

/// Scores of example i: score[k] = Σ count · weight[feature][k]. Returns the sum of squared counts.
template <int K, class Count>
inline double score_example(const ExampleView& x, Count count, const double* weight, std::int64_t i,
                            ClassNumbers<K>& score) {
  const int columns = score.columns();
  for (int k = 0; k < columns; ++k) score[k] = 0.0;
  double squares = 0.0;
  for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
    const double c = count(at);
    const double* row = weight + static_cast<std::int64_t>(x.feature[at]) * columns;
    for (int k = 0; k < columns; ++k) score[k] += c * row[k];
    squares += c * c;
  }
  return squares;
}

/// weight[feature][k] += count · change[k] for the features of example i.
template <int K, class Count>
inline void add_example(const ExampleView& x, Count count, double* weight, std::int64_t i,
                        const ClassNumbers<K>& change) {
  const int columns = change.columns();
  for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
    const double c = count(at);
    double* row = weight + static_cast<std::int64_t>(x.feature[at]) * columns;
    for (int k = 0; k < columns; ++k) row[k] += c * change[k];
  }
}

/// Fetches the rows of weights of example i.
inline void prefetch_example(const ExampleView& x, const double* weight, std::int64_t columns,
                             std::int64_t i) {
  for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at)
    prefetch_to_write(weight + static_cast<std::int64_t>(x.feature[at]) * columns);
}

/// Throws `file.damaged` with the argument that is wrong: offsets that do not ascend from 0 to the
/// number of features, features out of range or not ascending within an example, values that are
/// not finite.
void check_examples(const ExampleView& x, int threads);

/// Throws if a label is not below `classes`.
void check_labels(std::span<const std::uint8_t> label, int classes);

/// Examples whose arrays are their own.
struct ExampleArrays {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> feature;
  std::vector<float> value;
};

/// The same examples with features in ascending order and repeated ones added up. Without `value`
/// all are 1; the result has no `value` if all are 1 still. Throws for features out of range.
ExampleArrays ordered_examples(std::span<const std::int64_t> start,
                               std::span<const std::int32_t> feature, std::span<const float> value,
                               std::int64_t num_features);

/// Copies examples `index` to where `start` says: feature, and count or value if there are such.
void gather_examples(const ExampleView& x, std::span<const std::int64_t> index,
                     std::span<const std::int64_t> start, std::span<std::int32_t> feature,
                     std::span<std::uint8_t> count, std::span<float> value, int threads);

/// Log probabilities of the classes of each example under a linear model: a row for each.
void linear_log_probabilities(const ExampleView& x, std::span<const double> weight, int classes,
                              std::span<double> log_probability, int threads);

}  // namespace rosewood
