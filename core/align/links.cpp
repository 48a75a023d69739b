// core/align/links.cpp: checking, reading and writing links.
#include "align/links.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "util/error.hpp"

namespace rosewood {

void check_links(const LinksView& links) {
  const std::size_t count = links.source.size();
  if (links.target.size() != count)
    fail<AlignmentError>("argument.shape", count, " source words of links, ", links.target.size(),
                         " target words");
  if (links.start.empty() || links.start.front() != 0 ||
      links.start.back() != static_cast<std::int64_t>(count))
    fail<AlignmentError>({"argument.shape", "start"}, "start must go from 0 to ", count,
                         ", the number of links");
  for (std::int64_t k = 0; k < links.size(); ++k)  // all of them, before one of them is followed
    if (links.start[k] > links.start[k + 1])
      fail<AlignmentError>({"argument.value", "start"}, "sentence ", k, ": start does not ascend");
  for (std::int64_t k = 0; k < links.size(); ++k) {
    for (std::int64_t n = links.start[k]; n < links.start[k + 1]; ++n) {
      const std::int32_t i = links.source[n], j = links.target[n];
      if (i < 0 || j < 0)
        fail<AlignmentError>("argument.range", "sentence ", k, ": the link ", i, "-", j,
                             " has a number below zero");
      if (n > links.start[k] &&
          !(links.source[n - 1] < i || (links.source[n - 1] == i && links.target[n - 1] < j)))
        fail<AlignmentError>("alignment.link-order", "sentence ", k, ": the link ", i, "-", j,
                             " stands twice or is out of order");
    }
  }
}

namespace {

struct Link {
  std::int32_t source, target;
  std::uint8_t possible;

  auto key() const { return std::tuple(source, target, possible); }
  bool joins_same(const Link& other) const {
    return source == other.source && target == other.target;
  }
  std::string told(std::int32_t base) const {
    return std::to_string(source + base) + (possible ? "p" : "-") + std::to_string(target + base);
  }
};

constexpr std::int32_t most = 2147483646;  // so that one more can be counted

/// The number at the front, which is taken off; none if there is none that fits.
std::optional<std::int32_t> take_number(std::string_view& text, std::int32_t base) {
  std::int32_t value = 0;
  const bool begins = !text.empty() && text[0] >= '0' && text[0] <= '9';
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!begins || error != std::errc() || value < base || value > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value - base;
}

std::optional<Link> parse_link(std::string_view word, std::int32_t base, bool may_be_possible) {
  const auto source = take_number(word, base);
  if (!source || word.empty() || !(word[0] == '-' || (may_be_possible && word[0] == 'p')))
    return std::nullopt;
  const bool possible = word[0] == 'p';
  word.remove_prefix(1);
  const auto target = take_number(word, base);
  if (!target || !word.empty()) return std::nullopt;
  return Link{*source, *target, possible};
}

/// The links of a line, or the reason why they cannot be read.
Reason parse_line(std::string_view line, std::int32_t base, bool may_be_possible,
                  std::vector<Link>& found) {
  found.clear();
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) break;
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
    const auto link = parse_link(word, base, may_be_possible);
    if (!link)
      return "the link is '" + std::string(word.substr(0, 40)) + "', expected " +
             (may_be_possible ? "i-j or ipj" : "i-j") + " with two numbers from " +
             std::to_string(base) + " to " + std::to_string(most);
    found.push_back(*link);
  }
  std::sort(found.begin(), found.end(),
            [](const Link& a, const Link& b) { return a.key() < b.key(); });
  for (std::size_t n = 1; n < found.size(); ++n)
    if (found[n].key() == found[n - 1].key())
      return {"the link " + found[n].told(base) + " stands twice", "line.duplicate"};
  const auto end = std::unique(found.begin(), found.end(), [](const Link& a, const Link& b) {
    return a.joins_same(b);  // the first one is sure
  });
  found.erase(end, found.end());
  return {};
}

}  // namespace

std::optional<BadLine> parse_links(std::string_view text, std::int64_t first_line,
                                   std::int32_t base, bool may_be_possible, LinksArrays& links) {
  std::vector<Link> found;
  for (std::int64_t line = first_line; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Reason reason = parse_line(text.substr(0, end), base, may_be_possible, found);
    if (!reason.empty()) return BadLine{line, std::move(reason)};
    for (const Link& link : found) {
      links.source.push_back(link.source);
      links.target.push_back(link.target);
      if (may_be_possible) links.possible.push_back(link.possible);
    }
    links.start.push_back(static_cast<std::int64_t>(links.source.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::string format_links(const LinksView& links, std::span<const std::uint8_t> possible,
                         std::int64_t begin, std::int64_t end) {
  if (!possible.empty() && possible.size() != links.source.size())
    fail<AlignmentError>({"argument.shape", "possible"}, possible.size(), " marks of ",
                         links.source.size(), " links");
  if (begin < 0 || end < begin || end > links.size())
    fail<AlignmentError>("argument.range", "sentences ", begin, " to ", end, " of ", links.size());
  std::string text;
  char digits[16];
  const auto add = [&](std::int32_t number) {
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  };
  for (std::int64_t k = begin; k < end; ++k) {
    for (std::int64_t n = links.start[k]; n < links.start[k + 1]; ++n) {
      if (n > links.start[k]) text += ' ';
      add(links.source[n]);
      text += !possible.empty() && possible[n] ? 'p' : '-';
      add(links.target[n]);
    }
    text += '\n';
  }
  return text;
}

LinksArrays links_from_choices(std::span<const std::int32_t> choice,
                               std::span<const std::int64_t> start, bool chose_sources) {
  LinksArrays links;
  std::vector<std::pair<std::int32_t, std::int32_t>> sentence;
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    sentence.clear();
    for (std::int64_t n = start[k]; n < start[k + 1]; ++n) {
      const std::int32_t chosen = choice[static_cast<std::size_t>(n)];
      const auto chooser = static_cast<std::int32_t>(n - start[k]);
      if (chosen < 0) continue;
      sentence.push_back(chose_sources ? std::pair(chosen, chooser) : std::pair(chooser, chosen));
    }
    if (chose_sources) std::sort(sentence.begin(), sentence.end());
    for (const auto& [source, target] : sentence) {
      links.source.push_back(source);
      links.target.push_back(target);
    }
    links.start.push_back(static_cast<std::int64_t>(links.source.size()));
  }
  return links;
}

}  // namespace rosewood
