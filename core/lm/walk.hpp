// core/lm/walk.hpp: iteration over the n-grams of an order, each with its suffix of one word less.
// No Python here.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lm/table.hpp"
#include "util/error.hpp"

namespace rosewood {

/// An n-gram on the way to a file. At the highest order it has no children and no back-off.
struct Ngram {
  std::uint32_t word;  // the first one
  std::uint32_t children;
  float probability, backoff;
};

/// Whether this is -0.0: no longer n-gram begins with this one, and nothing is lost in backing off.
inline bool is_dead_end(float backoff) {
  return std::bit_cast<std::uint32_t>(backoff) == 0x80000000;
}

/// A part of an order: of the (n-1)-grams, and which n-gram is the first that is longer by one.
struct WalkPart {
  std::uint64_t begin, end, first;
};

/// Parts of about equal size that cover an order, n > 1.
inline std::vector<WalkPart> parts_of(const NgramTable& table, int n, std::size_t parts) {
  const std::uint64_t parents = table.size(n - 1);
  std::vector<WalkPart> out;
  auto degree = table.orders[n - 2].children.read();
  std::uint64_t first = 0, done = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::uint64_t end = parents * (i + 1) / parts;
    out.push_back({done, end, first});
    if (i + 1 < parts)
      for (; done < end; ++done) first += degree.next();
  }
  return out;
}

/// Refuses columns of different lengths.
inline void check_columns(const NgramTable& table, int n) {
  const NgramOrder& order = table.orders[n - 1];
  const bool is_highest = n == table.order();
  const std::uint64_t size = table.size(n);
  const bool is_whole =
      order.probability.size() == size && order.children.size() == (is_highest ? 0 : size) &&
      order.backoff.size() == (is_highest ? 0 : size) && (n > 1 || size <= 0xffffffffULL);
  if (!is_whole)
    fail<LanguageModelError>("argument.shape", "the columns of order ", n,
                             " have different lengths");
}

/// The n-grams of an order one by one. Refuses numbers that no model has.
class NgramReader {
 public:
  NgramReader(const NgramTable& table, int n, std::uint64_t first)
      : n_(n),
        is_highest_(n == table.order()),
        word_(table.orders[n - 1].word.read(first)),
        children_(table.orders[n - 1].children.read(is_highest_ ? 0 : first)),
        probability_(table.orders[n - 1].probability.read(first)),
        backoff_(table.orders[n - 1].backoff.read(is_highest_ ? 0 : first)) {}

  bool is_done() const { return word_.is_done(); }
  Ngram next() {
    const Ngram found{word_.next(), is_highest_ ? 0 : children_.next(), probability_.next(),
                      is_highest_ ? -0.0F : backoff_.next()};
    if (!(found.probability <= 0.0F) || !std::isfinite(found.probability))
      fail<LanguageModelError>("lm.probability", "an n-gram of order ", n_,
                               " has the log probability ", found.probability,
                               ", expected a number up to 0");
    if (!std::isfinite(found.backoff))
      fail<LanguageModelError>("lm.backoff", "an n-gram of order ", n_, " has the back-off ",
                               found.backoff);
    return found;
  }

 private:
  int n_;
  bool is_highest_;
  SpoolReader<std::uint32_t> word_, children_;
  SpoolReader<float> probability_, backoff_;
};

/// Calls parent(p) for each (n-1)-gram p of a part, in order, and child(p, place, ngram) for each
/// n-gram that is longer by one word than p. Refuses what no model can be.
template <class Parent, class Child>
void walk_part(const NgramTable& table, int n, const WalkPart& part, Parent&& parent,
               Child&& child) {
  const std::uint64_t words = table.size(1), size = table.size(n);
  NgramReader ngrams(table, n, std::min(part.first, size));
  auto degree = table.orders[n - 2].children.read(part.begin);
  std::uint64_t place = part.first;
  for (std::uint64_t p = part.begin; p < part.end; ++p) {
    parent(p);
    std::uint64_t least = 0;
    for (std::uint32_t left = degree.next(); left > 0; --left, ++place) {
      if (place >= size) fail<LanguageModelError>("lm.ngrams", "order ", n, " has too few n-grams");
      const Ngram found = ngrams.next();
      if (found.word < least || found.word >= words)
        fail<LanguageModelError>("lm.ngram-order", "the n-grams of order ", n,
                                 " are not in suffix order");
      least = std::uint64_t{found.word} + 1;
      child(p, place, found);
    }
  }
  if (part.end == table.size(n - 1) && place != size)
    fail<LanguageModelError>("lm.ngrams", "order ", n, " has too many n-grams");
}

/// The same of a whole order, with child(p, ngram); words have no parent, for them p is 0.
template <class Parent, class Child>
void walk_order(const NgramTable& table, int n, Parent&& parent, Child&& child) {
  check_columns(table, n);
  if (n > 1) {
    walk_part(table, n, {0, table.size(n - 1), 0}, parent,
              [&](std::uint64_t p, std::uint64_t, const Ngram& ngram) { child(p, ngram); });
    return;
  }
  NgramReader ngrams(table, 1, 0);
  for (std::uint64_t w = 0; w < table.size(1); ++w) {
    const Ngram found = ngrams.next();
    if (found.word != w)
      fail<LanguageModelError>("lm.ngram-order", "unigram ", w, " is of word ", found.word);
    child(std::uint64_t{0}, found);
  }
}

}  // namespace rosewood
