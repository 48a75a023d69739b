// core/rules/orientation.hpp: orientations of phrase pairs for lexicalised reordering models. No
// Python here.
//
// The orientation is the position, on the source side, of a phrase pair relative to its neighbour
// on the target side.
//
// Directions
//   backward   the neighbour ends just before the phrase pair on the target side
//   forward    the neighbour begins just after it
// Classes, for a reader who follows the order of the target
//   monotone   the source continues with the next word to the right
//   swap       the source continues with the words just to the left
//   left       the source jumps to the left over other words (Moses: dleft)
//   right      the source jumps to the right, or none of the above holds (Moses: dright)
// Kinds of neighbours
//   word       the target word before (after) the phrase pair, through its links. A word linked to
//              the source words on both sides of the phrase pair is neither monotone nor a swap
//   phrase     that word, and every phrase pair of up to max_phrase words a side that ends (begins)
//              with it
//   hierarchy  the same, with phrase pairs of any length
// At the beginning (end) of the target, a phrase pair is monotone if it is at the beginning (end)
// of the source, otherwise right.
//
// These are the definitions of Moses's extract, except for two of its bugs: it ignores the last
// source word when it tells left from right by phrases; and in the forward direction it looks for
// phrases that end with the next target word instead of phrases that begin with it.
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

/// The class of a model with three: monotone, swap, and discontinuous for left and right.
inline std::uint8_t three_classes(Orientation orientation) {
  return std::min<std::uint8_t>(static_cast<std::uint8_t>(orientation), 2);
}

/// The classes of a reordering model.
///   msd        monotone, swap, discontinuous
///   mslr       monotone, swap, left, right
///   distance   monotone, swap, and left and right by the words between: near, middle, far
enum class ClassScheme : std::uint8_t { msd = 0, mslr = 1, distance = 2 };

inline constexpr std::size_t max_orientations = 8;
inline constexpr std::int32_t near_gap = 2, middle_gap = 6;  // words between: at most so many

inline std::size_t class_count(ClassScheme scheme) {
  constexpr std::size_t counts[] = {3, 4, max_orientations};
  return counts[static_cast<std::size_t>(scheme)];
}

/// The class of an orientation with `gap` source words between the two neighbours.
inline std::uint8_t class_of(ClassScheme scheme, Orientation orientation, std::int32_t gap) {
  if (scheme == ClassScheme::msd) return three_classes(orientation);
  const auto number = static_cast<std::uint8_t>(orientation);
  if (scheme == ClassScheme::mslr || number < 2) return number;
  const int bucket = gap <= near_gap ? 0 : gap <= middle_gap ? 1 : 2;
  return static_cast<std::uint8_t>((orientation == Orientation::left ? 2 : 5) + bucket);
}

/// Orientations of one sentence at a time. The phrase pairs that end (begin) at a target word are
/// listed on first use and cached for a few words: the order of for_each_phrase is the fastest.
class Orientations {
 public:
  /// The sentence must not change until the next call. max_phrase limits the kind `phrase`.
  void set(const AlignedSentence& sentence, std::int32_t max_phrase);

  Orientation backward(OrientationKind kind, const Box& box);
  Orientation forward(OrientationKind kind, const Box& box);
  Orientation of(Direction direction, OrientationKind kind, const Box& box) {
    return direction == Direction::backward ? backward(kind, box) : forward(kind, box);
  }
  /// Source words between a phrase pair and the words linked to its neighbouring target word, or
  /// the end of the sentence; 0 where they overlap or there are no links.
  std::int32_t gap(Direction direction, const Box& box) const;

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
