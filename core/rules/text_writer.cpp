// core/rules/text_writer.cpp: rules are read and formatted in threads, some thousands at a time.
#include "rules/text_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::uint64_t batch = 1 << 16;  // rules that are formatted at a time
constexpr std::uint64_t grain = 1 << 10;
constexpr std::string_view between = " ||| ";
constexpr std::string_view penalty = "2.718";  // how Moses wrote the number e
constexpr double max_log = 709.782712893384;   // of which a double holds the power of e

bool has_phrases_only(RuleFormat format) {
  return format == RuleFormat::moses_phrases || format == RuleFormat::moses_reordering;
}

template <class T, class... Precision>
void put(std::string& out, T number, Precision... precision) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, precision...).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

/// As few digits as are read back as this logarithm.
void put_probability(std::string& out, float log) {
  if (log == static_cast<float>(log_floor)) {
    out += '0';
    return;
  }
  const double p = std::exp(static_cast<double>(log));
  const std::size_t begin = out.size();
  for (int digits = 6; digits <= 17; ++digits) {
    out.resize(begin);
    put(out, p, std::chars_format::general, digits);
    const auto again = parse_number<double>(std::string_view(out).substr(begin));
    if (static_cast<float>(std::log(again)) == log) return;
  }
}

Reason bad_label(const std::string& label) {
  return {"has the label " + quoted(label) + ", which cannot be written in this format",
          {"rules.unwritable", "label"}};
}

}  // namespace

RuleTextWriter::RuleTextWriter(const RuleTable& table, TextPlan plan, int threads)
    : table_(table), plan_(std::move(plan)), threads_(threads) {
  check_features();
  choose_styles();
  for (const std::string& label : plan_.labels) bad_labels_.push_back(!is_writable_label(label));
  bad_source_ = unwritable(table.source_words(), false);
  bad_target_ = unwritable(table.target_words(), true);
}

bool RuleTextWriter::is_writable_label(const std::string& label) const {
  const bool has_pairs = plan_.format == RuleFormat::moses_grammar;
  return is_label(label, plan_.format) || (has_pairs && moses_labels("[" + label + "]"));
}

void RuleTextWriter::check_features() const {
  for (const std::size_t column : plan_.columns) {
    if (column >= plan_.features.size())
      fail<RuleError>("argument.unknown", "there is no feature ", column);
    const std::string& name = plan_.features[column];
    if (!is_moses(plan_.format) && (name.empty() || name.find_first_of(" \t\r\n=;") != name.npos ||
                                    name.find(field_mark) != name.npos))
      fail<RuleError>("argument.value", "feature ", quoted(name),
                      " cannot be written in this format");
  }
}

void RuleTextWriter::choose_styles() {
  std::size_t unnamed = 0;
  for (const std::size_t column : plan_.columns) {
    const std::string& name = plan_.features[column];
    Style style = Style::named;
    if (is_moses(plan_.format)) {
      style = name == "rule_penalty" ? Style::penalty : Style::probability;
    } else if (plan_.format == RuleFormat::joshua &&
               name == plan_.prefix + std::to_string(unnamed)) {
      style = Style::negated;
      ++unnamed;
    }
    styles_.push_back(style);
  }
}

bool RuleTextWriter::is_writable(std::string_view word, bool is_target) const {
  if (word.empty() || word.find(field_mark) != word.npos ||
      word.find_first_of(" \t\n") != word.npos || first_not_utf8(word) < word.size())
    return false;
  switch (plan_.format) {
    case RuleFormat::moses_grammar:
      return !is_bracketed(word);
    case RuleFormat::cdec:
    case RuleFormat::joshua:
      return !hiero_gap(word, plan_.format, is_target);
    default:
      return true;
  }
}

std::vector<bool> RuleTextWriter::unwritable(const TableWords& words, bool is_target) const {
  std::vector<bool> bad(words.size());
  for (std::uint64_t word = 0; word < words.size(); ++word)
    bad[word] = !is_writable(words[word], is_target);
  return bad;
}

std::string RuleTextWriter::next() {
  std::string out;
  while (out.empty() && next_ < table_.size()) out = next_batch();
  return out;
}

std::string RuleTextWriter::next_batch() {
  const std::uint64_t begin = next_, end = std::min(table_.size(), begin + batch);
  next_ = end;
  const auto pieces = static_cast<std::int64_t>(
      std::clamp<std::uint64_t>((end - begin) / grain, 1, static_cast<std::uint64_t>(threads_)));
  std::vector<std::string> text(static_cast<std::size_t>(pieces));
  std::vector<std::uint64_t> skipped(text.size());
  parallel_for(pieces, threads_, 1, [&](std::int64_t first, std::int64_t last) {
    const std::uint64_t count = end - begin, parts = text.size();
    for (auto p = static_cast<std::uint64_t>(first); p < static_cast<std::uint64_t>(last); ++p)
      skipped[p] = format(begin + count * p / parts, begin + count * (p + 1) / parts, text[p]);
  });
  for (const std::uint64_t some : skipped) skipped_ += some;
  std::string out = std::move(text[0]);
  for (std::size_t p = 1; p < text.size(); ++p) out += text[p];
  return out;
}

std::uint64_t RuleTextWriter::format(std::uint64_t begin, std::uint64_t end,
                                     std::string& out) const {
  RuleBuffer rule;
  std::uint64_t skipped = 0;
  std::uint64_t last = 0;  // of the source that the rule has
  for (std::uint64_t number = begin; number < end; ++number) {
    if (number == begin || number > last) {
      table_.read_source(number, rule.source);
      last = table_.last_of_source(number);
    }
    table_.read(number, rule);
    if (const Reason reason = why_unwritable(rule); !reason.empty()) {
      if (!plan_.skips_unwritable)
        fail<RuleError>({"rules.unwritable", reason.fault.argument, number}, "rule ", number, " ",
                        reason.text,
                        "; --skip-unwritable (skip_unwritable=True) leaves such rules out");
      ++skipped;
      continue;
    }
    put_rule(rule, number, out);
    out += '\n';
  }
  return skipped;
}

Reason RuleTextWriter::why_unwritable(const RuleBuffer& rule) const {
  const bool is_phrase = std::ranges::all_of(rule.source, [](std::int32_t s) { return s >= 0; });
  if (has_phrases_only(plan_.format) && (!is_phrase || rule.left != 0))
    return {"is of a grammar: it has gaps, or a label of its own", {"rules.unwritable", "grammar"}};
  if (const std::string& left = label(rule.left); bad_labels_[static_cast<std::size_t>(rule.left)])
    return bad_label(left);
  for (std::size_t n = 0; n < styles_.size(); ++n) {
    const float value = rule.features[plan_.columns[n]];
    if (is_moses(plan_.format) && static_cast<double>(value) > max_log)
      return {"has a feature that is " + std::to_string(value) + ", too large for a logarithm",
              {"rules.unwritable", "features"}};
  }
  const Reason reason = why_unwritable(rule.source, false);
  return reason.empty() ? why_unwritable(rule.target, true) : reason;
}

Reason RuleTextWriter::why_unwritable(std::span<const std::int32_t> symbols, bool is_target) const {
  const TableWords& words = is_target ? table_.target_words() : table_.source_words();
  const std::vector<bool>& bad = is_target ? bad_target_ : bad_source_;
  for (const std::int32_t symbol : symbols) {
    if (symbol >= 0 && static_cast<std::uint64_t>(symbol) < bad.size() &&
        bad[static_cast<std::size_t>(symbol)])
      return {"has the word " + quoted(words[static_cast<std::uint64_t>(symbol)]) +
                  ", which would be read as something else",
              {"rules.unwritable", is_target ? "target" : "source"}};
    if (symbol < 0 && !is_target)
      if (const std::string& name = label(-1 - symbol);
          bad_labels_[static_cast<std::size_t>(-1 - symbol)])
        return bad_label(name);
  }
  return {};
}

void RuleTextWriter::put_rule(const RuleBuffer& rule, std::uint64_t number,
                              std::string& out) const {
  if (!is_moses(plan_.format)) out.append("[").append(label(rule.left)).append("]").append(between);
  put_side(rule, number, false, out);
  out += between;
  put_side(rule, number, true, out);
  out += between;
  put_columns(rule, out);
  if (plan_.format == RuleFormat::moses_reordering) return;
  if (!is_moses(plan_.format)) {
    if (!rule.links.empty()) {
      out += between;
      put_links(rule, out);
    }
    return;
  }
  out += " |||";
  put_links(rule, out);
  out += " |||";
  if (rule.count != 0 || rule.source_count != 0 || rule.target_count != 0)
    for (const double count : {rule.target_count, rule.source_count, rule.count})
      put(out += ' ', count);
  out += " ||| |||";
}

void RuleTextWriter::put_side(const RuleBuffer& rule, std::uint64_t number, bool is_target,
                              std::string& out) const {
  const auto& symbols = is_target ? rule.target : rule.source;
  const TableWords& words = is_target ? table_.target_words() : table_.source_words();
  std::vector<std::int32_t> labels;  // of the gaps of the source
  if (is_target)
    for (const std::int32_t symbol : rule.source)
      if (symbol < 0) labels.push_back(-1 - symbol);
  std::int32_t gaps = 0;
  const std::size_t begin = out.size();
  for (const std::int32_t symbol : symbols) {
    if (out.size() > begin) out += ' ';
    if (symbol >= 0) {
      const auto word = static_cast<std::uint64_t>(symbol);
      if (word >= words.size())
        fail<RuleError>("file.damaged", "rule ", number, " is damaged: it has no such word");
      out += words[word];
    } else if (is_target) {
      const auto gap = static_cast<std::size_t>(-1 - symbol);
      if (gap >= labels.size())
        fail<RuleError>("file.damaged", "rule ", number, " is damaged: it has no such gap");
      put_gap(labels[gap], static_cast<std::int32_t>(gap), true, out);
    } else {
      put_gap(-1 - symbol, gaps++, false, out);
    }
  }
  if (plan_.format == RuleFormat::moses_grammar) {
    if (out.size() > begin) out += ' ';
    const std::string& left = label(rule.left);
    const std::size_t middle = left.find(between_labels);
    const std::string_view own = middle == left.npos ? std::string_view(left)
                                 : is_target
                                     ? std::string_view(left).substr(middle + between_labels.size())
                                     : std::string_view(left).substr(0, middle);
    out.append("[").append(own).append("]");
  }
}

const std::string& RuleTextWriter::label(std::int32_t number) const {
  if (number < 0 || number >= std::ssize(plan_.labels))
    fail<RuleError>("file.damaged", "there is no label ", number);
  return plan_.labels[static_cast<std::size_t>(number)];
}

void RuleTextWriter::put_gap(std::int32_t label, std::int32_t gap, bool is_target,
                             std::string& out) const {
  const std::string& name = this->label(label);
  out += '[';
  if (plan_.format == RuleFormat::moses_grammar) {
    out += name;
    if (name.find(between_labels) == name.npos) out.append(between_labels).append(name);
  } else {
    if (plan_.format != RuleFormat::cdec || !is_target) out.append(name).append(",");
    put(out, gap + 1);
  }
  out += ']';
}

void RuleTextWriter::put_columns(const RuleBuffer& rule, std::string& out) const {
  for (std::size_t n = 0; n < styles_.size(); ++n) {
    const std::size_t column = plan_.columns[n];
    const float value = rule.features[column];
    if (n) out += ' ';
    switch (styles_[n]) {
      case Style::named:
        put(out.append(plan_.features[column]).append("="), value);
        break;
      case Style::negated:
        put(out, -value + 0.0F);  // never -0
        break;
      case Style::penalty:
        if (value == 1) {
          out += penalty;
          break;
        }
        [[fallthrough]];
      case Style::probability:
        put_probability(out, value);
    }
  }
}

/// Gaps are linked only for Moses, which knows them by nothing else.
void RuleTextWriter::put_links(const RuleBuffer& rule, std::string& out) const {
  std::vector<RuleLink> links = rule.links;
  if (plan_.format == RuleFormat::moses_grammar) {
    std::int32_t gaps = 0;
    for (std::size_t i = 0; i < rule.source.size(); ++i) {
      if (rule.source[i] >= 0) continue;
      const auto place = std::ranges::find(rule.target, -1 - gaps++) - rule.target.begin();
      links.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(place)});
    }
    std::ranges::sort(links);
  }
  if (plan_.format == RuleFormat::moses_phrases)  // by target, as it does itself
    std::ranges::sort(links, {}, [](RuleLink link) { return std::pair(link.target, link.source); });
  const bool is_first_spaced = is_moses(plan_.format);
  for (std::size_t n = 0; n < links.size(); ++n) {
    if (n || is_first_spaced) out += ' ';
    put(out, links[n].source);
    put(out += '-', links[n].target);
  }
}

}  // namespace rosewood
