// core/reorder/tracking.hpp: how phrases lie to each other while a translation grows. No Python
// here.
//
// A translation grows phrase by phrase in the order of the target. Which class a step has depends
// on what the kind of a model looks at:
//
// phrase      the phrase before
// hierarchy   backward: the largest block that ends with the phrase before: phrases whose source
//             words are adjacent are merged, as on the stack of a shift-reduce parser. Forward:
//             the phrase before, and whether words between are still to be translated
// word        links: the last target word of the phrase before (backward), or the first of this
//             one (forward), must be linked to the source word at the edge
//
// For phrase and hierarchy this is what Moses does. Classes are those of
// core/rules/orientation.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "rules/orientation.hpp"
#include "util/interner.hpp"

namespace rosewood {

/// One direction of a reordering model. Its log probabilities are columns first .. of a row.
struct OrientationSlot {
  OrientationKind kind;
  Direction direction;
  ClassScheme scheme;
  std::size_t first;

  std::size_t classes() const { return class_count(scheme); }
  std::uint64_t codes() const { return classes() + 1; }  // a class, or none
  std::size_t column(std::size_t number) const { return first + number; }
};

/// Which links a phrase pair has at its edges; for models of words.
struct EdgeLinks {
  static constexpr std::uint8_t to_last = 1, to_first = 2, any = 4;
  std::uint8_t last = 0;   // of the last target word: to the last source word, to the first, to any
  std::uint8_t first = 0;  // of the first target word
};

class OrientationTracker {
 public:
  explicit OrientationTracker(std::span<const OrientationSlot> slots);

  bool needs_last_links() const { return needs_last_links_; }
  bool needs_first_links() const { return needs_first_links_; }

  /// A place is what is known of where the last phrase was; 0 is the beginning. is_covered(word)
  /// tells which words are translated, with those of the step; there are none before and behind
  /// the sentence, so they count as translated.
  template <class IsCovered>
  std::int32_t next(std::int32_t place, std::int32_t begin, std::int32_t end,
                    std::uint8_t last_links, IsCovered&& is_covered);
  /// Where the last phrase ended; 0 at the beginning.
  std::int32_t end(std::int32_t place) const {
    return static_cast<std::int32_t>(places_[place][1]);
  }
  /// The orientation of the step from a place to words begin .. end-1. is_covered(word) tells which
  /// words are translated, with those of the step.
  template <class IsCovered>
  Orientation orientation(const OrientationSlot& slot, std::int32_t place, std::int32_t begin,
                          std::int32_t end, std::uint8_t first_links, IsCovered&& is_covered) const;
  /// The same as a class of the slot's scheme.
  template <class IsCovered>
  std::uint8_t step_class(const OrientationSlot& slot, std::int32_t place, std::int32_t begin,
                          std::int32_t end, std::uint8_t first_links,
                          IsCovered&& is_covered) const {
    const Orientation found = orientation(slot, place, begin, end, first_links, is_covered);
    const bool has_gap = slot.scheme == ClassScheme::distance;
    return class_of(slot.scheme, found, has_gap ? gap(slot, place, begin, end) : 0);
  }

 private:
  struct Span {
    std::int32_t begin, end;
  };
  Span last_phrase(std::int32_t place) const;
  Span last_block(std::int32_t place) const;
  static Orientation beside(const Span& before, std::int32_t begin, std::int32_t end) {
    if (begin == before.end) return Orientation::monotone;
    if (end == before.begin) return Orientation::swap;
    return begin >= before.end ? Orientation::right : Orientation::left;
  }
  /// Source words between the step and what its orientation is towards.
  std::int32_t gap(const OrientationSlot& slot, std::int32_t place, std::int32_t begin,
                   std::int32_t end) const;
  Span block(std::uint32_t stack) const;
  Span merged(Span span, std::uint32_t& stack) const;

  bool needs_begin_ = false, needs_stack_ = false, needs_last_links_ = false,
       needs_first_links_ = false;
  RowInterner places_;  // begin and end of the last phrase, its stack, links of its last word
  RowInterner stacks_;  // begin and end of the top block, and what is below; 0 is empty
};

template <class IsCovered>
std::int32_t OrientationTracker::next(std::int32_t place, std::int32_t begin, std::int32_t end,
                                      std::uint8_t last_links, IsCovered&& is_covered) {
  std::uint32_t row[] = {needs_begin_ ? static_cast<std::uint32_t>(begin) : 0U,
                         static_cast<std::uint32_t>(end), 0U,
                         needs_last_links_ ? std::uint32_t{last_links} : 0U};
  if (needs_stack_) {
    std::uint32_t below = places_[place][2];
    const Span top = merged({begin, end}, below);
    // A block between words that are translated, by blocks further down, is never merged with
    // anything: nobody will ever look at what is below it.
    if (is_covered(top.begin - 1) && is_covered(top.end)) below = 0;
    const std::uint32_t block[] = {static_cast<std::uint32_t>(top.begin),
                                   static_cast<std::uint32_t>(top.end), below};
    row[2] = static_cast<std::uint32_t>(stacks_.add(block).number);
  }
  return places_.add(row).number;
}

template <class IsCovered>
Orientation OrientationTracker::orientation(const OrientationSlot& slot, std::int32_t place,
                                            std::int32_t begin, std::int32_t end,
                                            std::uint8_t first_links,
                                            IsCovered&& is_covered) const {
  if (place == 0) return begin == 0 ? Orientation::monotone : Orientation::right;
  const bool is_forward = slot.direction == Direction::forward;
  if (slot.kind == OrientationKind::hierarchy && !is_forward)
    return beside(last_block(place), begin, end);
  const Span before = last_phrase(place);
  const Orientation found = beside(before, begin, end);
  if (slot.kind == OrientationKind::phrase) return found;
  if (slot.kind == OrientationKind::word) {
    const auto links = is_forward ? first_links : static_cast<std::uint8_t>(places_[place][3]);
    if (!(links & EdgeLinks::any)) return Orientation::right;
    // Of the phrase before, the edge on the side of this one; of this one, that on the other side.
    const auto near = is_forward ? EdgeLinks::to_first : EdgeLinks::to_last;
    const auto far = is_forward ? EdgeLinks::to_last : EdgeLinks::to_first;
    if (found == Orientation::monotone && !(links & near)) return Orientation::right;
    if (found == Orientation::swap && !(links & far)) return Orientation::left;
    return found;
  }
  if (found == Orientation::right && !is_covered(before.end)) return Orientation::monotone;
  if (found == Orientation::left && !is_covered(before.begin - 1)) return Orientation::swap;
  return found;
}

}  // namespace rosewood
