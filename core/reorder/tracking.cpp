// core/reorder/tracking.cpp: places and stacks, each kept once.
#include "reorder/tracking.hpp"

#include <algorithm>

namespace rosewood {

OrientationTracker::OrientationTracker(std::span<const OrientationSlot> slots)
    : places_(4), stacks_(3) {
  for (const OrientationSlot& slot : slots) {
    const bool is_forward = slot.direction == Direction::forward;
    const bool is_stack = slot.kind == OrientationKind::hierarchy && !is_forward;
    (is_stack ? needs_stack_ : needs_begin_) = true;
    if (slot.kind == OrientationKind::word)
      (is_forward ? needs_first_links_ : needs_last_links_) = true;
  }
  const std::uint32_t nothing[4] = {};
  places_.add(nothing);
  stacks_.add(nothing);
}

OrientationTracker::Span OrientationTracker::last_phrase(std::int32_t place) const {
  const auto row = places_[place];
  return {static_cast<std::int32_t>(row[0]), static_cast<std::int32_t>(row[1])};
}

OrientationTracker::Span OrientationTracker::last_block(std::int32_t place) const {
  return block(places_[place][2]);
}

std::int32_t OrientationTracker::gap(const OrientationSlot& slot, std::int32_t place,
                                     std::int32_t begin, std::int32_t end) const {
  if (place == 0) return begin;
  const bool is_stack =
      slot.kind == OrientationKind::hierarchy && slot.direction == Direction::backward;
  const Span before = is_stack ? last_block(place) : last_phrase(place);
  return std::max({0, before.begin - end, begin - before.end});
}

OrientationTracker::Span OrientationTracker::block(std::uint32_t stack) const {
  const auto row = stacks_[static_cast<std::int32_t>(stack)];
  return {static_cast<std::int32_t>(row[0]), static_cast<std::int32_t>(row[1])};
}

/// The block that words become with those on top of the stack which they are adjacent to; the stack
/// becomes what is left of it.
OrientationTracker::Span OrientationTracker::merged(Span span, std::uint32_t& stack) const {
  while (stack != 0) {
    const Span top = block(stack);
    if (top.end == span.begin)
      span.begin = top.begin;
    else if (top.begin == span.end)
      span.end = top.end;
    else
      break;
    stack = stacks_[static_cast<std::int32_t>(stack)][2];
  }
  return span;
}

}  // namespace rosewood
