// core/lm/walk.hpp: the n-grams of an order, each with the one that it is longer than. No Python
// here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

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

/// Calls parent(p) for each (n-1)-gram p, in order, and child(p, ngram) for each n-gram that is
/// longer by one word than p. Refuses what no model can be.
template <class Parent, class Child>
void walk_order(const NgramTable& table, int n, Parent&& parent, Child&& child) {
  const NgramOrder& order = table.orders[n - 1];
  const bool is_highest = n == table.order();
  const std::uint64_t size = table.size(n), words = table.size(1);
  const bool is_whole =
      order.probability.size() == size && order.children.size() == (is_highest ? 0 : size) &&
      order.backoff.size() == (is_highest ? 0 : size) && (n > 1 || size <= 0xffffffffULL);
  if (!is_whole) fail<LanguageModelError>("the columns of order ", n, " have different lengths");
  auto word = order.word.read(), children = order.children.read();
  auto probability = order.probability.read(), backoff = order.backoff.read();
  const auto next = [&] {
    const Ngram found{word.next(), is_highest ? 0 : children.next(), probability.next(),
                      is_highest ? -0.0F : backoff.next()};
    if (!(found.probability <= 0.0F) || !std::isfinite(found.probability))
      fail<LanguageModelError>("an n-gram of order ", n, " has the log probability ",
                               found.probability, ", want a number up to 0");
    if (!std::isfinite(found.backoff))
      fail<LanguageModelError>("an n-gram of order ", n, " has the back-off ", found.backoff);
    return found;
  };
  if (n == 1) {
    for (std::uint64_t w = 0; w < size; ++w) {
      const Ngram found = next();
      if (found.word != w) fail<LanguageModelError>("unigram ", w, " is of word ", found.word);
      child(std::uint64_t{0}, found);
    }
    return;
  }
  const std::uint64_t parents = table.size(n - 1);
  auto degree = table.orders[n - 2].children.read();
  for (std::uint64_t p = 0; p < parents; ++p) {
    parent(p);
    std::uint64_t least = 0;
    for (std::uint32_t left = degree.next(); left > 0; --left) {
      if (word.is_done()) fail<LanguageModelError>("order ", n, " has too few n-grams");
      const Ngram found = next();
      if (found.word < least || found.word >= words)
        fail<LanguageModelError>("the n-grams of order ", n, " are not in suffix order");
      least = std::uint64_t{found.word} + 1;
      child(p, found);
    }
  }
  if (!word.is_done()) fail<LanguageModelError>("order ", n, " has too many n-grams");
}

}  // namespace rosewood
