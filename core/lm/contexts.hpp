// core/lm/contexts.hpp: iteration over n-grams and their contexts, in memory or in files, for
// smoothing. No Python here.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lm/counts.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// How many children an n-gram has in the trie.
inline std::uint64_t children_of(std::uint32_t word, std::uint64_t count) {
  return word == begin_word ? 0 : count & ~cut;
}

/// Sorted rows: a piece of those in memory, or all that a sorter has.
class SortedRows {
 public:
  SortedRows(RowSorter& sorter, int width, std::uint64_t from, std::uint64_t to)
      : sorter_(sorter), width_(width), at_(sorter.all()) {
    if (at_) {
      end_ = at_ + to * width;
      at_ += from * width;
    }
  }
  const std::uint64_t* next() {
    if (!end_) return sorter_.next();
    if (at_ == end_) return nullptr;
    const std::uint64_t* row = at_;
    at_ += width_;
    return row;
  }

 private:
  RowSorter& sorter_;
  int width_;
  const std::uint64_t *at_, *end_ = nullptr;
};

/// Of the (n-1)-grams, and where the n-grams are that belong to them.
struct ContextPiece {
  std::uint64_t begin, end;
  std::uint64_t first;       // n-gram or row that belongs to them
  std::uint64_t last = 0;    // and the one behind the last
  std::uint64_t parent = 0;  // of `begin`, where they are walked as contexts
};

/// Weights of each n-gram of an order, by the n-gram's place.
class NgramWeights {
 public:
  struct Found {
    float share, left;  // of the probability, discounted; what its context leaves to shorter ones
    std::uint64_t context;  // the place of its context
  };

  /// In memory, or where the sorter puts them.
  NgramWeights(std::uint64_t size, bool is_in_memory, const SortRoom& room,
               const std::string& name) {
    if (is_in_memory)
      held_.resize(static_cast<std::size_t>(size));
    else
      sorter_.emplace(3, 1, room, name);
  }
  void put(std::uint64_t place, Found found) {
    if (!sorter_) {
      held_[place] = found;
      return;
    }
    std::uint64_t* row = sorter_->add();
    row[0] = place;
    row[1] = std::uint64_t{std::bit_cast<std::uint32_t>(found.share)} << 32 |
             std::bit_cast<std::uint32_t>(found.left);
    row[2] = found.context;
  }
  void finish() {
    if (sorter_) sorter_->finish();
  }
  /// Those of a place: of any if they are in memory, else of the one behind the last.
  Found get(std::uint64_t place) {
    if (!sorter_) return held_[place];
    const std::uint64_t* row = sorter_->next();
    return {std::bit_cast<float>(static_cast<std::uint32_t>(row[1] >> 32)),
            std::bit_cast<float>(static_cast<std::uint32_t>(row[1])), row[2]};
  }

 private:
  BigVector<Found> held_;
  std::optional<RowSorter> sorter_;
};

/// Walks the (n-1)-grams of a piece: each one's key is the place of its own suffix, then its first
/// word. The suffix of a word is empty and stands at 0.
class ContextWalk {
 public:
  ContextWalk(const std::vector<CountedOrder>& counted, int n, int word_bits,
              const ContextPiece& piece)
      : bits_(word_bits), parent_(piece.parent), word_(counted[n - 2].word.read(piece.begin)) {
    if (n > 2) {
      parent_word_.emplace(counted[n - 3].word.read(parent_));
      parent_count_.emplace(counted[n - 3].count.read(parent_));
      if (!parent_word_->is_done()) left_ = take_children();
    } else {
      left_ = counted[0].word.size();
    }
  }
  std::uint64_t next() {
    for (; !left_; ++parent_) left_ = take_children();
    --left_;
    return parent_ << bits_ | word_.next();
  }

 private:
  std::uint64_t take_children() { return children_of(parent_word_->next(), parent_count_->next()); }

  int bits_;
  std::uint64_t parent_, left_ = 0;
  SpoolReader<std::uint32_t> word_;
  std::optional<SpoolReader<std::uint32_t>> parent_word_;
  std::optional<SpoolReader<std::uint64_t>> parent_count_;
};

}  // namespace rosewood
