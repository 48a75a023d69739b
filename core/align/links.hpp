// core/align/links.hpp: word alignments of many sentences as flat arrays, and as text. No Python
// here.
//
// Sentence k has the links (source[n], target[n]) for start[k] <= n < start[k+1], each once, sorted
// by source and then by target word, both counted from zero.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/indexer.hpp"

namespace rosewood {

struct LinksView {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> source, target;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

/// Refuses offsets that do not fit, negative numbers, and links that are unsorted or repeated.
void check_links(const LinksView& links);

/// Links that own their arrays; `possible` has one entry a link where marks were read.
struct LinksArrays {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> source, target;
  std::vector<std::uint8_t> possible;
};

/// Reads whole lines of links `i-j`, and of possible links `ipj` if they are allowed. Lines are
/// counted from `first_line`, words from `base`. A repeated link is refused; a link that is both
/// sure and possible is sure.
std::optional<BadLine> parse_links(std::string_view text, std::int64_t first_line,
                                   std::int32_t base, bool may_be_possible, LinksArrays& links);

/// Sentences begin .. end-1 as lines; `possible` marks links, or is empty.
std::string format_links(const LinksView& links, std::span<const std::uint8_t> possible,
                         std::int64_t begin, std::int64_t end);

/// Links of words that chose at most one word of the other side each (-1: none). Sentence k's words
/// are choice[start[k]] .. choice[start[k+1]-1]; they are target words that chose source words, or
/// the other way round.
LinksArrays links_from_choices(std::span<const std::int32_t> choice,
                               std::span<const std::int64_t> start, bool chose_sources);

}  // namespace rosewood
