// core/lm/counts.hpp: the n-grams of a text, sorted, and what modified Kneser-Ney counts of them.
// No Python here; specification: tests/reference/lm_estimate.py.
//
// Each place of the text gives one row: its word and those before it, from last to first, up to the
// order or to <s>. Rows are sorted in memory, as large a part of the text at a time as fits, and
// runs are merged. Rows in that order are a walk through the trie of table.hpp: the first word in
// which a row differs from the one before begins its new n-grams.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lm/ngram_keys.hpp"
#include "lm/table.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// Set in the count of an n-gram that is to be left out of the model.
inline constexpr std::uint64_t cut = std::uint64_t{1} << 63;

/// The n-grams of one order, in suffix order.
struct CountedOrder {
  Spool<std::uint32_t> word;  // the first word
  /// Kneser-Ney counts: occurrences for the highest order and for n-grams that begin with <s>;
  /// otherwise the number of distinct words before the n-gram, which is its number of children.
  Spool<std::uint64_t> count;
  std::uint64_t kept = 0;                     // how many are not cut
  std::array<std::uint64_t, 5> with_count{};  // how many have count 1, 2, 3, 4
};

class NgramCounter {
 public:
  /// `words` includes <unk>, <s> and </s>. n-grams of order n that occur cutoffs[n-1] times or less
  /// are cut; those are never fewer for longer ones, and cutoffs[0] is 0.
  NgramCounter(int order, std::uint64_t words, std::vector<std::uint64_t> cutoffs, SortRoom room);

  int order() const { return order_; }
  /// How many places there will be, words and ends of sentences, so that room is made once.
  void expect(std::uint64_t places);
  /// Sentences, without <s> and </s>; the k-th ends before text[ends[k]].
  void add(std::span<const std::uint32_t> text, std::span<const std::int64_t> ends);
  /// No more text: merges and counts.
  std::vector<CountedOrder> finish();

 private:
  std::size_t room() const { return rows_.size() / static_cast<std::size_t>(width_); }
  void sort_held();
  void sort_run();
  template <class Rows>
  std::vector<CountedOrder> count_to_files(Rows&& rows);
  /// Rows that are held, sorted; to files, too, where the n-grams would not fit.
  std::vector<CountedOrder> count_held(const std::uint64_t* rows);

  int order_;
  NgramKeys keys_;  // of words plus one: zeros are behind the last
  int width_;       // numbers in a row
  std::uint64_t words_;
  std::vector<std::uint64_t> cutoffs_;
  SortRoom room_;
  std::size_t most_, used_ = 0;  // rows that may be and are held
  BigVector<std::uint64_t> rows_, spare_;
  std::vector<Spool<std::uint64_t>> runs_;  // distinct rows, each with how often it occurred
};

}  // namespace rosewood
