#include "rules/orientation.hpp"

#include <algorithm>

namespace rosewood {

void Orientations::set(const AlignedSentence& sentence, std::int32_t max_phrase) {
  sentence_ = &sentence;
  max_phrase_ = max_phrase;
  const auto words = static_cast<std::size_t>(sentence.source_length());
  const auto link_source = sentence.link_source();
  first_link_.resize(words + 1);
  free_begin_.resize(words + 1);
  free_end_.resize(words + 1);
  std::size_t link = 0;
  for (std::size_t i = 0; i <= words; ++i) {
    while (link < link_source.size() && static_cast<std::size_t>(link_source[link]) < i) ++link;
    first_link_[i] = link;
    const bool is_free = i > 0 && first_link_[i - 1] == link;
    free_begin_[i] = is_free ? free_begin_[i - 1] : static_cast<std::int32_t>(i);
  }
  for (std::size_t i = words + 1; i-- > 0;) {
    const bool is_free = i < words && first_link_[i] == first_link_[i + 1];
    free_end_[i] = is_free ? free_end_[i + 1] : static_cast<std::int32_t>(i);
  }
  for (auto& kinds : rows_)
    for (auto& rows : kinds)
      for (Row& row : rows) row.target = -1;
}

bool Orientations::is_linked(std::int32_t source, std::int32_t target) const {
  if (source < 0 || source >= sentence_->source_length()) return false;
  const auto targets = sentence_->link_target();
  const auto word = static_cast<std::size_t>(source);
  const auto begin = targets.begin() + static_cast<std::ptrdiff_t>(first_link_[word]);
  const auto end = targets.begin() + static_cast<std::ptrdiff_t>(first_link_[word + 1]);
  return std::binary_search(begin, end, target);
}

bool Orientations::Row::has_end(std::int32_t place) const {
  const auto behind = std::partition_point(ends.begin(), ends.end(),
                                           [place](Range range) { return range.first <= place; });
  return behind != ends.begin() && place <= std::prev(behind)->last;
}

bool Orientations::Row::has_begin(std::int32_t place) const {
  const auto behind = std::partition_point(begins.begin(), begins.end(),
                                           [place](Range range) { return range.last >= place; });
  return behind != begins.begin() && place >= std::prev(behind)->first;
}

/// A phrase pair grows over source words without links, on either side, as far as the limit allows.
/// Pairs come in growing: what has the same end as the one before it cannot reach further.
void Orientations::add(const AlignedSentence::Reach& source, std::int32_t limit, Row& row) const {
  const std::int32_t begin = source.begin, end = source.end;
  if (row.ends.empty() || row.ends.back().first != end)
    row.ends.push_back({end, std::min(free_end_[static_cast<std::size_t>(end)], begin + limit)});
  if (row.begins.empty() || row.begins.back().last != begin)
    row.begins.push_back(
        {std::max(free_begin_[static_cast<std::size_t>(begin)], end - limit), begin});
}

/// Takes target words one by one, away from the phrase pair whose neighbour is looked for. Source
/// words that link back to it end the search: they stay in what grows.
void Orientations::make_row(Direction direction, std::int32_t limit, Row& row) const {
  row.ends.clear();
  row.begins.clear();
  const bool is_back = direction == Direction::backward;
  const std::int32_t first = row.target, step = is_back ? -1 : 1;
  const std::int32_t stop =
      is_back ? std::max(-1, first - limit) : std::min(sentence_->target_length(), first + limit);
  AlignedSentence::Reach source, back;
  for (std::int32_t j = first; j != stop; j += step) {
    const AlignedSentence::Reach before = source;
    source.add(sentence_->of_target(j));
    if (source.is_empty()) continue;
    if (source.end - source.begin > limit) return;
    const std::int32_t middle = before.is_empty() ? source.begin : before.begin;
    const std::int32_t resume = before.is_empty() ? source.begin : before.end;
    for (std::int32_t i = source.begin; i < middle; ++i) back.add(sentence_->of_source(i));
    for (std::int32_t i = resume; i < source.end; ++i) back.add(sentence_->of_source(i));
    if (is_back ? back.end > first + 1 : back.begin < first) return;
    if (is_back ? back.begin >= j : back.end <= j + 1) add(source, limit, row);
  }
}

const Orientations::Row& Orientations::row_of(Direction direction, OrientationKind kind,
                                              std::int32_t target) {
  const bool any_length = kind == OrientationKind::hierarchy;
  Row& row = rows_[static_cast<std::size_t>(direction)][any_length ? 1 : 0]
                  [static_cast<std::size_t>(target) % kept_rows];
  if (row.target != target) {
    row.target = target;
    const std::int32_t longest = std::max(sentence_->source_length(), sentence_->target_length());
    make_row(direction, any_length ? longest : std::min(max_phrase_, longest), row);
  }
  return row;
}

Orientation Orientations::backward(OrientationKind kind, const Box& box) {
  const std::int32_t target = box.target_begin - 1;
  if (target < 0) return box.source_begin == 0 ? Orientation::monotone : Orientation::right;
  const bool is_before = is_linked(box.source_begin - 1, target);
  const bool is_behind = is_linked(box.source_end, target);
  if (is_before && !is_behind) return Orientation::monotone;
  if (kind == OrientationKind::word) {
    if (is_behind && !is_before) return Orientation::swap;
    const AlignedSentence::Reach& reach = sentence_->of_target(target);
    return !reach.is_empty() && reach.begin > box.source_end ? Orientation::left
                                                             : Orientation::right;
  }
  const Row& row = row_of(Direction::backward, kind, target);
  if (row.has_end(box.source_begin)) return Orientation::monotone;
  if ((is_behind && !is_before) || row.has_begin(box.source_end)) return Orientation::swap;
  return !row.begins.empty() && row.begins.front().last > box.source_end ? Orientation::left
                                                                         : Orientation::right;
}

Orientation Orientations::forward(OrientationKind kind, const Box& box) {
  const std::int32_t target = box.target_end;
  if (target >= sentence_->target_length())
    return box.source_end == sentence_->source_length() ? Orientation::monotone
                                                        : Orientation::right;
  const bool is_before = is_linked(box.source_begin - 1, target);
  const bool is_behind = is_linked(box.source_end, target);
  if (is_behind && !is_before) return Orientation::monotone;
  if (kind == OrientationKind::word) {
    if (is_before && !is_behind) return Orientation::swap;
    const AlignedSentence::Reach& reach = sentence_->of_target(target);
    return !reach.is_empty() && reach.end < box.source_begin ? Orientation::left
                                                             : Orientation::right;
  }
  const Row& row = row_of(Direction::forward, kind, target);
  if (row.has_begin(box.source_end)) return Orientation::monotone;
  if ((is_before && !is_behind) || row.has_end(box.source_begin)) return Orientation::swap;
  return !row.ends.empty() && row.ends.front().first < box.source_begin ? Orientation::left
                                                                        : Orientation::right;
}

std::int32_t Orientations::gap(Direction direction, const Box& box) const {
  const bool is_back = direction == Direction::backward;
  const std::int32_t target = is_back ? box.target_begin - 1 : box.target_end;
  if (target < 0) return box.source_begin;
  if (target >= sentence_->target_length()) return sentence_->source_length() - box.source_end;
  const AlignedSentence::Reach& reach = sentence_->of_target(target);
  if (reach.is_empty()) return 0;
  return std::max({0, reach.begin - box.source_end, box.source_begin - reach.end});
}

}  // namespace rosewood
