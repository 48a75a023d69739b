// core/reorder/tracking.cpp: places and stacks, each kept once.
#include "reorder/tracking.hpp"

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

std::int32_t OrientationTracker::next(std::int32_t place, std::int32_t begin, std::int32_t end,
                                      std::uint8_t last_links) {
  const std::uint32_t row[] = {needs_begin_ ? static_cast<std::uint32_t>(begin) : 0U,
                               static_cast<std::uint32_t>(end),
                               needs_stack_ ? push(places_[place][2], begin, end) : 0U,
                               needs_last_links_ ? std::uint32_t{last_links} : 0U};
  return places_.add(row).number;
}

OrientationTracker::Span OrientationTracker::last_phrase(std::int32_t place) const {
  const auto row = places_[place];
  return {static_cast<std::int32_t>(row[0]), static_cast<std::int32_t>(row[1])};
}

OrientationTracker::Span OrientationTracker::last_block(std::int32_t place) const {
  const auto row = stacks_[static_cast<std::int32_t>(places_[place][2])];
  return {static_cast<std::int32_t>(row[0]), static_cast<std::int32_t>(row[1])};
}

std::uint32_t OrientationTracker::push(std::uint32_t stack, std::int32_t begin, std::int32_t end) {
  std::uint32_t row[] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), stack};
  while (row[2] != 0) {
    const auto top = stacks_[static_cast<std::int32_t>(row[2])];
    if (top[1] == row[0])
      row[0] = top[0];
    else if (top[0] == row[1])
      row[1] = top[1];
    else
      break;
    row[2] = top[2];
  }
  return static_cast<std::uint32_t>(stacks_.add(row).number);
}

}  // namespace rosewood
