// core/reorder/linear_model.hpp: a reordering model whose log odds are sums over features, in
// mapped arrays: MaxEnt and Bayes models once they are trained. No Python here.
//
// For each direction and class, s = bias + Σ weight of each feature of an event. Where `totals` are
// given (Bayes with full inference), the weight of a feature is log(α + n) of its count n in the
// class, its j-th repetition in an event counts log(α + n + j), and of an event with x features
// Σ_{j<x} log(total + j) is subtracted: the Dirichlet-multinomial probability without lgamma.
// Log probabilities are s minus the logarithm of Σ exp s over the classes of a direction.
//
// Features are in a table with open addressing: slot s has the key slots[s], all bits set where it
// is free, and the weights rows[s], one for each direction and class. Weights are float, or 16 or 8
// bits with an offset and a scale for each column.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"
#include "reorder/event_features.hpp"
#include "rules/orientation.hpp"

namespace rosewood {

constexpr FeatureKey free_slot = ~FeatureKey{0};

/// Where a key is looked for first, in a table of so many slots.
inline std::size_t first_slot(FeatureKey key, std::size_t slots) {
  return static_cast<std::size_t>((key_hash(key) >> 32) * slots >> 32);
}

/// The slot of each key in a table of `slots` slots, and the keys of its slots.
struct SlotPlan {
  std::vector<FeatureKey> slots;
  std::vector<std::int64_t> slot_of_key;
};
SlotPlan plan_slots(std::span<const FeatureKey> keys);

/// What a model is made of; the spans must outlive it.
struct LinearParts {
  std::size_t directions = 1, classes = 3;
  std::span<const FeatureKey> slots;
  std::span<const std::uint8_t> rows;
  int bits = 32;                      // of a weight: 8, 16 or 32 (float)
  std::vector<double> offset, scale;  // of each column, unless weights are float
  std::vector<double> bias;           // of each column
  std::vector<double> totals;         // of each column; empty: none
  std::size_t rounded = 0;            // columns at the end that decoders round
  double step = 0;                    // to multiples of this; 0: not at all
  EventTemplates templates;
  std::span<const char> source_bytes, target_bytes;  // words, one after the other
  std::span<const std::int64_t> source_start, target_start;
  std::span<const std::int32_t> source_class, target_class;  // of words by number; empty: none
  std::int32_t unknown_source_class = -1, unknown_target_class = -1;
};

class LinearReordering {
 public:
  /// Refuses parts that do not go together: files may be damaged.
  explicit LinearReordering(LinearParts parts);
  LinearReordering(const LinearReordering&) = delete;
  LinearReordering& operator=(const LinearReordering&) = delete;

  /// Columns: the classes of the first direction, then those of the second.
  std::size_t width() const { return parts_.directions * parts_.classes; }
  const FeatureMaker& maker() const { return maker_; }
  /// Numbers of words; -1: it has none.
  std::int32_t source_word(std::string_view word) const { return source_.find(word); }
  std::int32_t target_word(std::string_view word) const { return target_.find(word); }

  static constexpr std::size_t max_width = 2 * max_orientations;
  /// Sums over features, to be finished.
  struct Sums {
    std::array<double, max_width> column;
    std::size_t features = 0;  // that the model has
  };
  void clear(Sums& sums) const;
  /// Adds the features of these keys, which may be reordered.
  void add(std::span<FeatureKey> keys, Sums& sums) const;
  /// Writes log probabilities.
  void finish(const Sums& sums, double* out) const;
  /// The same for a decoder: forward log probabilities, which are part of a hypothesis's state,
  /// are rounded, so that more hypotheses recombine.
  void finish_rounded(const Sums& sums, double* out) const;
  /// The weights of a feature; false: it has none.
  bool weights(FeatureKey key, double* out) const;

 private:
  std::size_t find(FeatureKey key) const;
  double weight(std::size_t slot, std::size_t column) const;
  void add_repeated(std::size_t slot, std::size_t repeats, double* sums) const;
  template <class Stored>
  void add_rows(std::span<const FeatureKey> keys, Sums& sums) const;

  LinearParts parts_;
  WordTable source_, target_;
  FeatureMaker maker_;
  std::vector<double> length_cost_;  // of events with 0, 1, … features, for each column
};

}  // namespace rosewood
