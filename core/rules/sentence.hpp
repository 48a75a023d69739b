// core/rules/sentence.hpp: the links of one sentence pair, ready for extraction, and the phrase
// pairs that are consistent with them. No Python here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace rosewood {

/// A part of a sentence pair: source words source_begin .. source_end-1, and target words.
struct Box {
  std::int32_t source_begin, source_end, target_begin, target_end;
  friend bool operator==(const Box&, const Box&) = default;

  std::int32_t source_size() const { return source_end - source_begin; }
  std::int32_t target_size() const { return target_end - target_begin; }
};

/// The links of a sentence pair, by word. One object is reused for many sentences.
class AlignedSentence {
 public:
  /// Links are sorted by source and then by target, each once, and within these lengths.
  void set(std::int32_t source_length, std::int32_t target_length,
           std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
    source_ = source, target_ = target;
    source_length_ = source_length, target_length_ = target_length;
    by_source_.assign(static_cast<std::size_t>(source_length), {});
    by_target_.assign(static_cast<std::size_t>(target_length), {});
    for (std::size_t n = 0; n < source.size(); ++n) {
      by_source_[static_cast<std::size_t>(source[n])].add(target[n]);
      by_target_[static_cast<std::size_t>(target[n])].add(source[n]);
    }
  }

  std::int32_t source_length() const { return source_length_; }
  std::int32_t target_length() const { return target_length_; }
  std::span<const std::int32_t> link_source() const { return source_; }
  std::span<const std::int32_t> link_target() const { return target_; }

  /// The range of words that a word is linked to, from the first to one past the last; empty
  /// (begin > end) for a null-aligned word.
  struct Reach {
    std::int32_t begin = std::numeric_limits<std::int32_t>::max(), end = 0;
    void add(std::int32_t place) {
      begin = std::min(begin, place);
      end = std::max(end, place + 1);
    }
    void add(const Reach& other) {
      begin = std::min(begin, other.begin);
      end = std::max(end, other.end);
    }
    bool is_empty() const { return begin >= end; }
  };
  const Reach& of_source(std::int32_t word) const {
    return by_source_[static_cast<std::size_t>(word)];
  }
  const Reach& of_target(std::int32_t word) const {
    return by_target_[static_cast<std::size_t>(word)];
  }

 private:
  std::span<const std::int32_t> source_, target_;
  std::int32_t source_length_ = 0, target_length_ = 0;
  std::vector<Reach> by_source_, by_target_;
};

/// Calls body(box) for every phrase pair: a box with at least one link, that no link leaves, and
/// whose sides are within their limits. Order: target begin, target end, source begin descending,
/// source end.
template <class Body>
void for_each_phrase(const AlignedSentence& sentence, std::int32_t max_source,
                     std::int32_t max_target, Body&& body) {
  const std::int32_t target_length = sentence.target_length();
  for (std::int32_t target_begin = 0; target_begin < target_length; ++target_begin) {
    const std::int32_t last =
        target_length - target_begin > max_target ? target_begin + max_target : target_length;
    AlignedSentence::Reach source, back;  // what the target words link to, and what that links to
    for (std::int32_t target_end = target_begin + 1; target_end <= last; ++target_end) {
      const AlignedSentence::Reach before = source;
      source.add(sentence.of_target(target_end - 1));
      if (source.is_empty()) continue;
      if (source.end - source.begin > max_source) break;
      // Words between the old reach and the new one come in, with what they link to.
      if (before.is_empty()) {
        for (std::int32_t i = source.begin; i < source.end; ++i) back.add(sentence.of_source(i));
      } else {
        for (std::int32_t i = source.begin; i < before.begin; ++i) back.add(sentence.of_source(i));
        for (std::int32_t i = before.end; i < source.end; ++i) back.add(sentence.of_source(i));
      }
      if (back.begin < target_begin) break;
      if (back.end > target_end) continue;
      for (std::int32_t begin = source.begin;
           begin >= 0 && source.end - begin <= max_source &&
           (begin == source.begin || sentence.of_source(begin).is_empty());
           --begin)
        for (std::int32_t end = source.end;
             end <= sentence.source_length() && end - begin <= max_source &&
             (end == source.end || sentence.of_source(end - 1).is_empty());
             ++end)
          body(Box{begin, end, target_begin, target_end});
    }
  }
}

}  // namespace rosewood
