// core/corpus/clusters.hpp: word classes by the exchange algorithm. No Python here.
//
// The objective is the log-likelihood of a class bigram model, without what no class changes:
//
//   F = sum over c, d of phi(N(c, d))  -  sum over c of phi(N(c, .))  -  sum over c of phi(N(., c))
//
// where phi(n) = n log n, N(c, d) counts bigrams of a word of class c and one of class d, and a dot
// is a sum. A sentence has a boundary before its first word and after its last one, which is a
// class of its own; so a class occurs as often before a word as after one.
//
// Which class is best is decided in whole numbers, phi rounded to multiples of 2^-scale: sums are
// exact in any order, so results are the same at any number of threads and ties are ties. A word
// moves only if it gains more than rounding can be, so F grows with every move, and rounds end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "corpus/word_bigrams.hpp"

namespace rosewood {

/// phi(n) = n log n in whole numbers; sums of it over cells that add up to `total` are below 2^53.
class RoundedLogs {
 public:
  explicit RoundedLogs(std::int64_t total);

  std::int64_t operator()(std::int64_t n) const {
    return n < std::ssize(table_) ? table_[static_cast<std::size_t>(n)] : computed(n);
  }
  /// The values of all n below `size()`.
  const std::int64_t* table() const { return table_.data(); }
  std::int64_t size() const { return std::ssize(table_); }
  int scale() const { return scale_; }

 private:
  std::int64_t computed(std::int64_t n) const;

  int scale_;
  std::vector<std::int64_t> table_;
};

/// Classes of words and the counts of their bigrams. Class 0 has the words that are left out and
/// classes + 1 is the boundary: both stay as they are. Words move between classes 1 .. classes.
class ClassExchange {
 public:
  /// class_of has a class for each word of `bigrams`, which must outlive this.
  ClassExchange(const WordBigrams& bigrams, std::span<const std::int32_t> class_of,
                std::int32_t classes);

  /// Moves each of the words begin .. end-1 to the class that raises F most, the first of equal
  /// ones; returns how many have moved. Words are looked at in blocks, whose sizes depend on the
  /// text alone: the best classes of a block are found side by side, then words move one after the
  /// other if that still raises F.
  std::int64_t exchange(std::int32_t begin, std::int32_t end, int threads);

  /// Moves each of the words to a class that is drawn, with probabilities that grow with F as
  /// exp(F / (heat n^0.8)) for a word that occurs n times: F may fall. Draws depend on the seed,
  /// the word and the class alone. No class becomes empty. Returns how many have moved.
  std::int64_t anneal(std::int32_t begin, std::int32_t end, double heat, std::uint64_t seed,
                      int threads);

  /// F, from the counts as they are, in nats.
  double objective() const;
  /// The same in whole numbers: kept up to date by moves, and from the counts.
  std::int64_t rounded_objective() const { return rounded_; }
  std::int64_t recomputed_objective() const;

  std::span<const std::int32_t> class_of() const {
    return std::span(class_of_).first(static_cast<std::size_t>(bigrams_.words()));
  }
  std::int32_t classes() const { return classes_; }

 private:
  struct Around;  // the classes around a word

  /// Random numbers, added to gains: the best of the sums is a draw.
  struct Noise {
    std::uint64_t seed = 0;
    std::vector<std::int64_t> value = {0};  // a power of two of them

    std::int64_t operator()(std::int32_t word, std::size_t to) const;
  };

  template <class Accept>
  void in_blocks(std::int32_t begin, std::int32_t end, int threads, const Noise* noise,
                 Accept&& accept);
  void look_around(std::int32_t word, Around& around) const;
  std::int32_t choose(std::int32_t word, Around& around, const Noise* noise) const;
  std::int64_t gain_of(std::int32_t word, std::int32_t to, Around& around) const;
  std::int64_t inserted(std::int32_t to, const Around& around) const;
  void add_row(const std::int32_t* row, const std::int64_t* step, std::int64_t most,
               std::int32_t count, std::int64_t* gain) const;
  void move(std::int32_t word, std::int32_t to, std::int64_t gain, const Around& around);
  void change(std::int32_t first, std::int32_t second, std::int32_t by);
  std::int64_t margin(const Around& around) const;
  std::int32_t block_end(std::int32_t begin, std::int32_t end) const;
  int useful_threads(std::int32_t begin, std::int32_t end, int threads) const;

  std::size_t cell(std::int32_t first, std::int32_t second) const {
    return static_cast<std::size_t>(first) * width_ + static_cast<std::size_t>(second);
  }

  const WordBigrams& bigrams_;
  std::int32_t classes_;
  std::size_t width_;  // of the matrices: classes, those of words left out, the boundary
  RoundedLogs phi_;
  std::vector<std::int32_t> class_of_;        // of words, of those left out, of the boundary
  std::vector<std::int32_t> after_, before_;  // bigrams by their first class, and by their second
  std::vector<std::int64_t> after_step_, before_step_;  // phi(n + 1) - phi(n) of both
  std::vector<std::int64_t> total_;                     // occurrences of each class
  std::vector<std::int32_t> members_;                   // words in each class
  std::int64_t rounded_ = 0;
};

}  // namespace rosewood
