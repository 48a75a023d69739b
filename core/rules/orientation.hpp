// core/rules/orientation.hpp: where a phrase pair's neighbour on the target side stands in the
// source. No Python here.
//
// backward   the neighbour is what ends just before the phrase pair on the target side
// forward    it is what begins just behind it
// monotone   going on in the order of the target, the source goes on with the next word too
// swap       the source goes on with what stands just before, on its left
// left       it jumps to the left, over other words (Moses's dleft)
// right      it jumps to the right, or nobody can tell (Moses's dright)
//
// What a neighbour is depends on the kind. Words are neighbours when they are linked: a word that
// is linked to the source words on both sides of the phrase pair is neither monotone nor a swap. Of
// the kinds phrase and hierarchy they are so as well, and then every phrase pair that ends (begins)
// there, of up to max_phrase words a side, or of any length. At the beginning (end) of the target,
// the phrase pair is monotone if it is at the beginning (end) of the source too.
//
// These are the definitions of Moses's extract, but for two things it does otherwise by mistake: it
// never looks at the last source word when it tells left from right by phrases, and forward it
// looks for phrases that end with the next target word, where they begin with it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "rules/sentence.hpp"

namespace rosewood {

enum class Orientation : std::uint8_t { monotone = 0, swap = 1, left = 2, right = 3 };
enum class OrientationKind : std::uint8_t { word = 0, phrase = 1, hierarchy = 2 };
enum class Direction : std::uint8_t { backward = 0, forward = 1 };

/// Monotone, swap, and discontinuous for both others.
inline std::uint8_t three_classes(Orientation orientation) {
  return std::min<std::uint8_t>(static_cast<std::uint8_t>(orientation), 2);
}

/// Answers for one sentence after the other. What it needs of a target word it makes when it is
/// first asked for it, and keeps of a few: asking in the order of for_each_phrase costs least.
class Orientations {
 public:
  /// The sentence must stay as it is while questions are asked. Phrases have up to max_phrase
  /// words.
  void set(const AlignedSentence& sentence, std::int32_t max_phrase);

  Orientation backward(OrientationKind kind, const Box& box);
  Orientation forward(OrientationKind kind, const Box& box);
  Orientation of(Direction direction, OrientationKind kind, const Box& box) {
    return direction == Direction::backward ? backward(kind, box) : forward(kind, box);
  }

 private:
  struct Range {
    std::int32_t first, last;  // both belong to it
  };
  /// Where the phrase pairs that end (begin) at a target word begin and end in the source.
  struct Row {
    std::int32_t target = -1;
    std::vector<Range> begins;  // descending
    std::vector<Range> ends;    // ascending
    bool has_begin(std::int32_t place) const;
    bool has_end(std::int32_t place) const;
  };
  static constexpr std::size_t kept_rows = 64;  // more than the target words of most phrases

  bool is_linked(std::int32_t source, std::int32_t target) const;
  const Row& row_of(Direction direction, OrientationKind kind, std::int32_t target);
  void make_row(Direction direction, std::int32_t limit, Row& row) const;
  void add(const AlignedSentence::Reach& source, std::int32_t limit, Row& row) const;

  const AlignedSentence* sentence_ = nullptr;
  std::int32_t max_phrase_ = 0;
  std::vector<std::size_t> first_link_;   // of each source word, and behind the last
  std::vector<std::int32_t> free_begin_;  // words free_begin_[i] .. i-1 have no links
  std::vector<std::int32_t> free_end_;    // words i .. free_end_[i]-1 have no links
  std::array<std::array<std::array<Row, kept_rows>, 2>, 2> rows_;  // direction, kind, target word
};

}  // namespace rosewood
