// core/rules/text_line.hpp: one line of a rule table in somebody's text format: its fields, its
// gaps, its numbers. No Python here.
//
// Fields stand between |||, words between spaces and tabs; other white space belongs to words.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/error.hpp"
#include "util/number.hpp"
#include "util/utf8.hpp"

namespace rosewood {

// clang-format off
/// How the lines are written.
///     moses_phrases     ein haus ||| a house ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 ||| 2 3 1
///     moses_grammar     das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 ||| 2 3 1
///     cdec              [X] ||| das [X,1] ||| the [1] ||| Name=0.5 Other=1 ||| 0-0
///     joshua            [X] ||| das [X,1] ||| the [X,1] ||| 0.5 1 Name=2 ||| 0-0
///     moses_reordering  ein haus ||| a house ||| 0.6 0.2 0.2
/// Rules are not read from the last one, only written.
// clang-format on
enum class RuleFormat { moses_phrases, moses_grammar, cdec, joshua, moses_reordering };

inline bool is_moses(RuleFormat format) {
  return format != RuleFormat::cdec && format != RuleFormat::joshua;
}

inline constexpr std::string_view field_mark = "|||";
inline constexpr std::string_view between_labels = "][";
/// As Moses has it: no logarithm of a probability is less.
inline constexpr double log_floor = -100;

/// A line, cut into fields, which are cut into words.
class TextLine {
 public:
  using Field = std::span<const std::string_view>;

  /// Says what is wrong with the line; nothing, if it can be cut.
  Reason cut(std::string_view line) {
    words_.clear();
    start_.assign(1, 0);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::size_t bad = first_not_utf8(line); bad < line.size())
      return {"it is not UTF-8 at byte " + std::to_string(bad + 1) + " of the line",
              "file.encoding"};
    std::size_t at = 0;
    while ((at = line.find_first_not_of(" \t", at)) != line.npos) {
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      const std::string_view word = line.substr(at, end - at);
      at = end;
      if (word == field_mark)
        start_.push_back(words_.size());
      else if (word.find(field_mark) != word.npos)
        return {"||| stands within " + quoted(word) + ", expected spaces around it",
                {"line.value", "fields"}};
      else
        words_.push_back(word);
    }
    start_.push_back(words_.size());
    return {};
  }

  bool is_empty() const { return words_.empty() && start_.size() == 2; }
  std::size_t size() const { return start_.size() - 1; }
  /// Empty, where there are fewer fields.
  Field operator[](std::size_t field) const {
    if (field >= size()) return {};
    return Field(words_).subspan(start_[field], start_[field + 1] - start_[field]);
  }

 private:
  std::vector<std::string_view> words_;
  std::vector<std::size_t> start_;
};

/// What is written at the place of a gap: its label and its number, either of which may be missing.
struct TextGap {
  std::string_view label;
  std::int64_t number = 0;
};

inline bool is_bracketed(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']';
}

/// What may stand between brackets as one label.
inline bool is_label(std::string_view text, RuleFormat format) {
  return !text.empty() && text.find_first_of("[]") == text.npos &&
         (format != RuleFormat::cdec || text.find(',') == text.npos);
}

/// The label of [NP]; nothing, if it is something else.
inline std::optional<std::string_view> label_of(std::string_view word, RuleFormat format) {
  if (!is_bracketed(word) || !is_label(word.substr(1, word.size() - 2), format))
    return std::nullopt;
  return word.substr(1, word.size() - 2);
}

/// [NP,2], or [NP] in a source; for cdec also [2] in a target; nothing, if it is a word.
inline std::optional<TextGap> hiero_gap(std::string_view word, RuleFormat format, bool is_target) {
  if (!is_bracketed(word)) return std::nullopt;
  const std::string_view inside = word.substr(1, word.size() - 2);
  if (const std::size_t comma = inside.rfind(','); comma != inside.npos) {
    const TextGap gap{inside.substr(0, comma), parse_count(inside.substr(comma + 1))};
    if (gap.number > 0 && is_label(gap.label, format)) return gap;
    return std::nullopt;
  }
  if (is_target) {
    const std::int64_t number = format == RuleFormat::cdec ? parse_count(inside) : 0;
    if (number > 0) return TextGap{{}, number};
    return std::nullopt;
  }
  if (is_label(inside, format)) return TextGap{inside, 0};
  return std::nullopt;
}

/// [NP][VP] is the label of a source and that of a target; one label if they are the same.
inline std::optional<std::string_view> moses_labels(std::string_view word) {
  if (!is_bracketed(word)) return std::nullopt;
  const std::string_view inside = word.substr(1, word.size() - 2);
  const std::size_t middle = inside.find(between_labels);
  if (middle == inside.npos) return std::nullopt;
  const std::string_view source = inside.substr(0, middle), target = inside.substr(middle + 2);
  if (!is_label(source, RuleFormat::moses_grammar) || !is_label(target, RuleFormat::moses_grammar))
    return std::nullopt;
  return source == target ? source : inside;
}

/// The logarithm of a probability, not less than Moses's; NaN if it is none.
inline double log_probability(double p) {
  return p >= 0 && !std::isinf(p) ? std::max(std::log(p), log_floor) : NAN;
}

}  // namespace rosewood
