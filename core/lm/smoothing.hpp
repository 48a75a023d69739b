// core/lm/smoothing.hpp: interpolated modified Kneser-Ney, from counts to probabilities, order by
// order. No Python here; specification: tests/reference/lm_estimate.py.
//
// n-grams come in suffix order, but what a context leaves to shorter ones is a sum over the n-grams
// that begin with it. The context of (w1 .. wn) is the (n-1)-gram that has w1 before the context of
// (w2 .. wn), which is known by then. So n-grams are sorted by those two, which is the order of the
// (n-1)-grams themselves: both lists are walked side by side, and what was found is put back to
// where its n-gram stands. In memory, pieces of these walks are done by several threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lm/contexts.hpp"
#include "lm/counts.hpp"
#include "lm/table.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// What is taken from counts 1, 2, and 3 or more; the first number is 0.
using Discounts = std::array<double, 4>;

class Smoother {
 public:
  Smoother(std::vector<CountedOrder> counted, SortRoom room);
  /// Goes on behind order `done` with the files of another that was not in memory.
  Smoother(std::vector<CountedOrder> counted, SortRoom room, int done);
  Smoother(const Smoother&) = delete;  // sorters know where its memory is
  Smoother& operator=(const Smoother&) = delete;

  int order() const { return static_cast<int>(counted_.size()); }
  bool is_in_memory() const { return counted_[0].word.is_in_memory(); }
  const std::vector<CountedOrder>& counted() const { return counted_; }
  /// Orders from 1 on, each once.
  void smooth(int n, const Discounts& discounts);
  /// The model, without what is cut; the counts are gone then.
  NgramTable finish();

 private:
  void smooth_unigrams(const Discounts& discounts);
  std::vector<ContextPiece> pieces_of(int n, std::size_t pieces) const;
  std::vector<ContextPiece> pieces_by_context(int n, const RowSorter& sorter) const;
  void sort_by_context(int n, RowSorter& sorter) const;
  void weigh(int n, const Discounts& discounts, RowSorter& sorter, NgramWeights& weights);
  void interpolate(int n, NgramWeights& weights);
  NgramOrder finish_order(int n);

  std::uint64_t size(int n) const { return counted_[n - 1].word.size(); }
  std::size_t pieces() const {
    return is_in_memory() ? static_cast<std::size_t>(room_.threads) : 1;
  }
  std::string name(int n, const char* what) const;
  template <class T>
  Spool<T> make(int n, const char* what, std::uint64_t size) const;

  std::vector<CountedOrder> counted_;
  SortRoom room_;
  SortRoom sorting_;   // a part of it for each of the two sorters that work at a time
  SortMemory memory_;  // for those by context
  int word_bits_;
  std::vector<Spool<float>> probability_, backoff_;  // by order; probabilities are no logarithms
  /// Of each n-gram of the order done last, its context's place; and of the one before, which is
  /// kept until the next order begins, so that one can go on from there.
  Spool<std::uint64_t> context_, last_context_;
};

}  // namespace rosewood
