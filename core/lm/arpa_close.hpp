// core/lm/arpa_close.hpp: sorted n-grams of all orders into a table in which every prefix and every
// suffix of an n-gram is an n-gram, too. No Python here.
//
// Pruned models lack some of them. They are added with the probability that backing off gives,
// p(w | h) = backoff(h) p(w | h without its first word), and with back-off 0, so that no score
// changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lm/ngram_keys.hpp"
#include "lm/table.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// Rows of a key and one number more: log10 probability (high half) and back-off, sorted by key.
using NgramRows = Spool<std::uint64_t>;

struct ClosedTable {
  NgramTable table;
  std::vector<std::int64_t> added;  // n-grams by order
};

std::uint64_t pack_weights(float probability, float backoff);

/// Unigrams are given as columns, `rows` are those of order 2 and more, which are used up. Files
/// are made in the room's folder, if it has one.
ClosedTable close_table(const NgramKeys& keys, std::span<const float> probability,
                        std::span<const float> backoff, std::vector<NgramRows>& rows,
                        const SortRoom& room);

}  // namespace rosewood
