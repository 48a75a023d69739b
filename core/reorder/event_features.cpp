// core/reorder/event_features.cpp: keys of events, how often they occur, and their numbers.
#include "reorder/event_features.hpp"

#include <algorithm>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t events_a_piece = 4096;

/// Runs make(first, last, piece) for pieces of n events.
template <class Piece, class Make>
std::vector<Piece> in_pieces(std::int64_t n, int threads, Make&& make) {
  const std::int64_t count = (n + events_a_piece - 1) / events_a_piece;
  std::vector<Piece> pieces(static_cast<std::size_t>(count));
  parallel_blocks(
      count, threads, [] { return 0; },
      [&](int, std::int64_t piece) {
        make(piece * events_a_piece, std::min(n, (piece + 1) * events_a_piece),
             pieces[static_cast<std::size_t>(piece)]);
      });
  return pieces;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& piece) {
  all.insert(all.end(), piece.begin(), piece.end());
}

void append_start(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& piece) {
  const std::int64_t before = all.back();
  for (std::size_t n = 1; n < piece.size(); ++n) all.push_back(before + piece[n]);
}

std::span<const std::int32_t> sentence_of(std::span<const std::int32_t> words,
                                          std::span<const std::int64_t> start, std::int64_t k) {
  const auto place = static_cast<std::size_t>(k);
  if (k < 0 || place + 1 >= start.size() || start[place] < 0 || start[place] > start[place + 1] ||
      start[place + 1] > static_cast<std::int64_t>(words.size()))
    fail<ReorderingError>({"argument.range", "sentence", k}, "there is no sentence ", k);
  return words.subspan(static_cast<std::size_t>(start[place]),
                       static_cast<std::size_t>(start[place + 1] - start[place]));
}

std::span<const std::int32_t> phrase_of(std::span<const std::int32_t> sentence, std::int32_t begin,
                                        std::int32_t end) {
  if (begin < 0 || begin >= end || static_cast<std::size_t>(end) > sentence.size())
    fail<ReorderingError>("argument.range", "an event is of words ", begin, " to ", end,
                          " of a sentence of ", sentence.size());
  return sentence.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void check_words(std::span<const std::int32_t> words) {
  for (const std::int32_t word : words)
    if (word > max_symbol)
      fail<ReorderingError>("corpus.too-large", "there are more than ", max_symbol,
                            " distinct words");
}

}  // namespace

void check_templates(const EventTemplates& templates) {
  if (templates.window < 0 || templates.window > EventTemplates::max_window)
    fail<ReorderingError>({"argument.range", "window", templates.window}, "window is ",
                          templates.window, ", expected 0 to ", EventTemplates::max_window);
}

EventKeys event_keys(const EventView& events, const FeatureMaker& maker, int threads) {
  const std::size_t size = events.sentence.size();
  for (const std::size_t each :
       {events.source_begin.size(), events.source_end.size(), events.target_begin.size(),
        events.target_end.size(), events.pair_start.size() - 1})
    if (each != size) fail<ReorderingError>("argument.shape", "arrays of events differ in length");
  check_words(events.source);
  check_words(events.target);
  auto pieces = in_pieces<EventKeys>(
      static_cast<std::int64_t>(size), threads,
      [&](std::int64_t first, std::int64_t last, EventKeys& out) {
        for (auto n = static_cast<std::size_t>(first); n < static_cast<std::size_t>(last); ++n) {
          const auto source = sentence_of(events.source, events.source_start, events.sentence[n]);
          const auto target = sentence_of(events.target, events.target_start, events.sentence[n]);
          const std::int32_t begin = events.source_begin[n], end = events.source_end[n];
          const auto source_phrase = phrase_of(source, begin, end);
          const auto target_phrase =
              phrase_of(target, events.target_begin[n], events.target_end[n]);
          const std::int64_t pair = events.pair_start[n], behind = events.pair_start[n + 1];
          if (pair < 0 || pair > behind ||
              behind > static_cast<std::int64_t>(events.pair_source.size()) ||
              behind > static_cast<std::int64_t>(events.pair_target.size()))
            fail<ReorderingError>("argument.range", "links of events are out of range");
          for (auto p = static_cast<std::size_t>(pair); p < static_cast<std::size_t>(behind); ++p)
            maker.add_pair(events.pair_source[p], events.pair_target[p], out.key);
          maker.add_context(source, begin, end, out.key);
          maker.add_source_edges(source_phrase, out.key);
          maker.add_target_edges(target_phrase, out.key);
          out.start.push_back(static_cast<std::int64_t>(out.key.size()));
        }
      });
  EventKeys all;
  for (const EventKeys& piece : pieces) {
    append_start(all.start, piece.start);
    append(all.key, piece.key);
  }
  return all;
}

FeatureCounts::FeatureCounts() : parts_(parts) {
  for (Part& part : parts_) {
    part.key.resize(256);
    part.count.resize(256);
  }
}

void FeatureCounts::Part::add(FeatureKey wanted, std::int64_t times) {
  const std::size_t mask = key.size() - 1;
  std::size_t slot = static_cast<std::size_t>(key_hash(wanted)) & mask;
  while (count[slot] && key[slot] != wanted) slot = (slot + 1) & mask;
  if (!count[slot]) {
    key[slot] = wanted;
    ++used;
  }
  count[slot] += times;
  if (used * 4 > key.size() * 3) grow();
}

void FeatureCounts::Part::grow() {
  Part wider;
  wider.key.resize(key.size() * 2);
  wider.count.resize(count.size() * 2);
  for (std::size_t slot = 0; slot < key.size(); ++slot)
    if (count[slot]) wider.add(key[slot], count[slot]);
  *this = std::move(wider);
}

/// Each thread owns parts of the table: it takes the keys that belong to them.
void FeatureCounts::add(std::span<const FeatureKey> keys, int threads) {
  parallel_for(static_cast<std::int64_t>(parts), threads, 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (const FeatureKey key : keys) {
                   const auto part = static_cast<std::int64_t>(key_hash(key) >> 58);
                   if (part >= first && part < last)
                     parts_[static_cast<std::size_t>(part)].add(key, 1);
                 }
               });
}

std::int64_t FeatureCounts::size() const {
  std::int64_t found = 0;
  for (const Part& part : parts_) found += static_cast<std::int64_t>(part.used);
  return found;
}

FeatureCounts::Kept FeatureCounts::kept(std::int64_t min_count) const {
  std::vector<std::pair<std::int64_t, FeatureKey>> found;
  for (const Part& part : parts_)
    for (std::size_t slot = 0; slot < part.key.size(); ++slot)
      if (part.count[slot] && part.count[slot] >= min_count)
        found.emplace_back(-part.count[slot], part.key[slot]);
  if (found.size() > static_cast<std::size_t>(max_symbol))
    fail<ReorderingError>("corpus.too-large", "there are ", found.size(),
                          " features, expected at most ", max_symbol);
  std::sort(found.begin(), found.end());
  Kept kept;
  for (const auto& [count, key] : found) {
    kept.key.push_back(key);
    kept.count.push_back(-count);
  }
  return kept;
}

FeatureNumbers::FeatureNumbers(std::span<const FeatureKey> keys) {
  std::size_t size = 64;
  while (size < keys.size() * 2) size *= 2;
  mask_ = size - 1;
  key_.resize(size);
  number_.assign(size, -1);
  for (std::size_t n = 0; n < keys.size(); ++n) {
    std::size_t slot = static_cast<std::size_t>(key_hash(keys[n])) & mask_;
    while (number_[slot] >= 0) {
      if (key_[slot] == keys[n])
        fail<ReorderingError>({"argument.duplicate", "keys", n}, "a feature has two numbers");
      slot = (slot + 1) & mask_;
    }
    key_[slot] = keys[n];
    number_[slot] = static_cast<std::int32_t>(n);
  }
}

EventRows number_keys(std::span<const std::int64_t> start, std::span<const FeatureKey> keys,
                      const FeatureNumbers& numbers, int threads) {
  const auto events = static_cast<std::int64_t>(start.size()) - 1;
  auto pieces = in_pieces<EventRows>(
      events, threads, [&](std::int64_t first, std::int64_t last, EventRows& out) {
        std::vector<std::int32_t> row;
        for (std::int64_t n = first; n < last; ++n) {
          row.clear();
          for (std::int64_t i = start[static_cast<std::size_t>(n)];
               i < start[static_cast<std::size_t>(n) + 1]; ++i) {
            const std::int32_t number = numbers.find(keys[static_cast<std::size_t>(i)]);
            if (number >= 0) row.push_back(number);
          }
          std::sort(row.begin(), row.end());
          for (std::size_t i = 0; i < row.size(); ++i) {
            if (i && row[i] == row[i - 1]) {
              out.count.back() += 1;
              continue;
            }
            out.feature.push_back(row[i]);
            out.count.push_back(1);
          }
          out.start.push_back(static_cast<std::int64_t>(out.feature.size()));
        }
      });
  EventRows all;
  for (const EventRows& piece : pieces) {
    append_start(all.start, piece.start);
    append(all.feature, piece.feature);
    append(all.count, piece.count);
  }
  return all;
}

}  // namespace rosewood
