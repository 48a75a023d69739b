#include "rules/gaps.hpp"

#include <algorithm>
#include <tuple>

#include "util/error.hpp"

namespace rosewood {

namespace {

bool is_tight(const AlignedSentence& sentence, const Box& box) {
  return !sentence.of_source(box.source_begin).is_empty() &&
         !sentence.of_source(box.source_end - 1).is_empty() &&
         !sentence.of_target(box.target_begin).is_empty() &&
         !sentence.of_target(box.target_end - 1).is_empty();
}

bool is_by_source(const Box& a, const Box& b) {
  return std::tie(a.source_begin, a.source_end, a.target_begin, a.target_end) <
         std::tie(b.source_begin, b.source_end, b.target_begin, b.target_end);
}

}  // namespace

void check_gap_settings(const GapSettings& settings) {
  const auto at_least = [](const char* name, std::int32_t value, std::int32_t low) {
    if (value < low)
      fail<RuleError>({"argument.range", name}, name, " is ", value, ", expected at least ", low);
  };
  at_least("max_source", settings.max_source, 1);
  at_least("max_target", settings.max_target, 1);
  at_least("max_symbols", settings.max_symbols, 1);
  at_least("max_gaps", settings.max_gaps, 0);
  at_least("min_gap_source", settings.min_gap_source, 1);
  at_least("min_gap_target", settings.min_gap_target, 1);
  if (settings.max_gaps > 2)
    fail<RuleError>({"argument.range", "max_gaps"}, "max_gaps is ", settings.max_gaps,
                    ", expected at most 2");
}

GapSearch::GapSearch(const AlignedSentence& sentence, const GapSettings& settings)
    : settings_(settings) {
  check_gap_settings(settings);
  const auto words = static_cast<std::size_t>(sentence.source_length());
  links_before_.assign(words + 1, 0);
  for (const std::int32_t i : sentence.link_source())
    ++links_before_[static_cast<std::size_t>(i) + 1];
  for (std::size_t i = 0; i < words; ++i) links_before_[i + 1] += links_before_[i];
  for_each_phrase(sentence, settings.max_source, settings.max_target, [&](const Box& box) {
    if (!settings.tight || is_tight(sentence, box)) outer_.push_back(box);
  });
  first_.assign(words + 1, 0);
  if (settings.max_gaps == 0) return;
  for (const Box& box : outer_)
    if (box.source_size() >= settings.min_gap_source &&
        box.target_size() >= settings.min_gap_target &&
        (!settings.tight_gaps || is_tight(sentence, box)))
      by_source_.push_back(box);
  std::sort(by_source_.begin(), by_source_.end(), is_by_source);
  for (const Box& box : by_source_) ++first_[static_cast<std::size_t>(box.source_begin) + 1];
  for (std::size_t i = 0; i < words; ++i) first_[i + 1] += first_[i];
}

/// No link leaves a phrase pair, so that those of its source words are all.
std::int32_t GapSearch::num_links(const Box& box) const {
  return links_before_[static_cast<std::size_t>(box.source_end)] -
         links_before_[static_cast<std::size_t>(box.source_begin)];
}

void GapSearch::collect_inside(const Box& outer) {
  inside_.clear();
  for (std::int32_t begin = outer.source_begin; begin < outer.source_end; ++begin) {
    const std::size_t end = first_[static_cast<std::size_t>(begin) + 1];
    for (std::size_t n = first_[static_cast<std::size_t>(begin)]; n < end; ++n) {
      const Box& box = by_source_[n];
      if (box.source_end > outer.source_end) break;
      if (box.target_begin >= outer.target_begin && box.target_end <= outer.target_end)
        inside_.push_back(box);
    }
  }
}

/// Keeps the rule if it is allowed. One gap alone is no source: such a rule would change nothing.
void GapSearch::add(const GappedRule& rule) {
  std::int32_t words = rule.outer.source_size(), links = num_links(rule.outer);
  for (std::int32_t k = 0; k < rule.gaps; ++k) {
    const Box& gap = rule.gap[static_cast<std::size_t>(k)];
    words -= gap.source_size();
    links -= num_links(gap);
  }
  if (words + rule.gaps > settings_.max_symbols) return;
  if (words == 0 && rule.gaps == 1) return;
  if (settings_.need_link && links == 0) return;
  rules_.push_back(rule);
}

bool GapSearch::next() {
  if (place_ == outer_.size()) return false;
  const Box& outer = outer_[place_++];
  rules_.clear();
  add({outer});
  if (settings_.max_gaps > 0) collect_inside(outer);
  for (std::size_t a = 0; settings_.max_gaps > 0 && a < inside_.size(); ++a) {
    const Box& one = inside_[a];
    add({outer, 1, {one}});
    for (std::size_t b = a + 1; settings_.max_gaps > 1 && b < inside_.size(); ++b) {
      const Box& other = inside_[b];
      if (other.source_begin < one.source_end + (settings_.allow_adjacent ? 0 : 1)) continue;
      if (other.target_begin < one.target_end && one.target_begin < other.target_end) continue;
      add({outer, 2, {one, other}});
    }
  }
  if (!settings_.whole_counts)
    for (GappedRule& rule : rules_) rule.share = static_cast<std::int32_t>(rules_.size());
  return true;
}

}  // namespace rosewood
