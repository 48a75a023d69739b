// core/rules/text_reader.cpp: lines into rules; every check says what is wrong in a few words.
#include "rules/text_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rosewood {

namespace {

constexpr std::size_t most_examples = 5;
constexpr std::size_t most_symbols = std::numeric_limits<std::uint16_t>::max();

Reason fields_told(std::size_t have, const char* expected) {
  return {joined("it has ", have, have == 1 ? " field" : " fields", ", expected ", expected),
          "line.fields"};
}

Reason too_long(std::int64_t most) {
  return {joined("the line has more than ", most, " bytes"), "corpus.too-long"};
}

Reason symbols(TextLine::Field field, std::vector<TextSymbol>& side) {
  side.clear();
  if (field.size() > most_symbols)
    return {joined("a side has ", field.size(), " symbols, the limit is ", most_symbols),
            "corpus.too-long"};
  for (const std::string_view word : field) side.push_back({word});
  return {};
}

}  // namespace

std::optional<BadLine> LineReader::feed(std::string_view block) {
  while (!bad_ && !block.empty()) {
    if (!waiting_.empty() || is_dropping_) {
      const std::size_t end = std::min(block.find('\n'), block.size() - 1) + 1;
      const bool is_whole = block[end - 1] == '\n';
      if (!is_dropping_) waiting_ += block.substr(0, end);
      block.remove_prefix(end);
      if (is_whole && !std::exchange(is_dropping_, false)) {
        const std::string text = std::exchange(waiting_, {});
        read_lines(text);
      }
    } else {
      const std::size_t whole = block.rfind('\n') + 1;  // 0 where there is none
      read_lines(block.substr(0, whole));
      waiting_ = block.substr(whole);
      block = {};
    }
    if (!bad_ && static_cast<std::int64_t>(waiting_.size()) > max_bytes_) {
      ++lines_;
      refuse(too_long(max_bytes_));
      waiting_.clear();
      is_dropping_ = true;
    }
  }
  return bad_;
}

std::optional<BadLine> LineReader::finish() {
  if (!bad_ && !waiting_.empty()) read_lines(std::exchange(waiting_, {}) + "\n");
  return bad_;
}

void LineReader::read_lines(std::string_view text) {
  while (!bad_ && !text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (++lines_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    Reason reason = static_cast<std::int64_t>(line.size()) > max_bytes_ ? too_long(max_bytes_)
                                                                        : line_.cut(line);
    if (reason.empty() && !line_.is_empty()) reason = read(line_, lines_);
    if (!reason.empty()) refuse(std::move(reason));
  }
}

void LineReader::refuse(Reason reason) {
  if (!skip_bad_) {
    bad_ = BadLine{lines_, std::move(reason)};
    return;
  }
  ++skipped_;
  if (examples_.size() < most_examples) examples_.push_back({lines_, std::move(reason)});
}

Reason LineReader::read_probabilities(TextLine::Field field, std::vector<float>& logs) {
  logs.clear();
  for (const std::string_view word : field) {
    const double value = parse_number<double>(word);
    if (std::isnan(value))
      return {joined("a probability is ", quoted(word), ", expected a number"),
              {"line.number", "probability"}};
    const double log = log_probability(value);
    if (std::isnan(log))
      return {joined("a probability is ", quoted(word),
                     ", expected one that is neither negative nor infinite"),
              {"line.value", "probability"}};
    logs.push_back(static_cast<float>(log) + 0.0F);  // never -0
  }
  return {};
}

void LineReader::count_zeros(const std::vector<float>& logs) {
  zeros_ += std::count(logs.begin(), logs.end(), static_cast<float>(log_floor));
}

RuleTextReader::RuleTextReader(RuleFormat format, std::string prefix, std::int64_t max_bytes,
                               bool skip_bad)
    : LineReader(max_bytes, skip_bad), format_(format), prefix_(std::move(prefix)) {}

Reason RuleTextReader::read(const TextLine& line, std::int64_t number) {
  rule_.counts = {};
  rule_.links.clear();
  rule_.features.clear();
  Reason reason = is_moses(format_) ? read_moses(line) : read_hiero(line);
  if (!reason.empty()) return reason;
  if (const std::int64_t before = rules_.add(rule_, number))
    return {joined("it has the same rule as line ", before), "line.duplicate"};
  if (is_moses(format_)) {
    scores_ = logs_.size();
    count_zeros(logs_);
  }
  if (format_ == RuleFormat::moses_phrases && !line[1].empty() && is_bracketed(line[0].back()) &&
      is_bracketed(line[1].back()))
    ++labelled_;
  if (line.size() > 5 && !(line[5].empty() && line[6].empty())) ++left_out_;
  return {};
}

Reason RuleTextReader::read_moses(const TextLine& line) {
  if (line.size() < 3 || line.size() > 7)
    return fields_told(line.size(),
                       "source ||| target ||| scores, and perhaps ||| alignment ||| counts ||| "
                       "sparse features ||| properties");
  Reason reason = read_moses_sides(line[0], line[1]);
  if (reason.empty()) reason = read_probabilities(line[2], logs_);
  if (!reason.empty()) return reason;
  if (logs_.empty()) return {"it has no scores", {"line.empty", "scores"}};
  if (scores_ && logs_.size() != scores_)
    return {joined("it has ", logs_.size(), " scores, the lines before have ", scores_),
            {"line.fields", "scores"}};
  for (std::size_t n = 0; n < logs_.size(); ++n) rule_.features.push_back({unnamed(n), logs_[n]});
  reason = read_links(line[3]);
  if (reason.empty()) reason = match_gaps();
  if (reason.empty()) reason = read_counts(line[4]);
  return reason;
}

Reason RuleTextReader::read_moses_sides(TextLine::Field source, TextLine::Field target) {
  rule_.left = "X";
  gap_numbers_.clear();
  const bool is_grammar = format_ == RuleFormat::moses_grammar;
  if (is_grammar) {
    const auto of_source = source.empty() ? std::nullopt : label_of(source.back(), format_);
    const auto of_target = target.empty() ? std::nullopt : label_of(target.back(), format_);
    if (!of_source || !of_target)
      return {"a side does not end with its label, such as [X]", {"line.value", "label"}};
    rule_.left = *of_source;
    if (of_source != of_target) {  // two labels, as at gaps
      left_.assign(*of_source).append(between_labels).append(*of_target);
      rule_.left = left_;
    }
    source = source.first(source.size() - 1);
    target = target.first(target.size() - 1);
  }
  if (source.empty()) return {"the source is empty", {"line.empty", "source"}};
  Reason reason = symbols(source, rule_.source);
  if (reason.empty()) reason = symbols(target, rule_.target);
  if (!reason.empty() || !is_grammar) return reason;
  for (auto* side : {&rule_.source, &rule_.target}) {
    std::int32_t gaps = 0;
    for (TextSymbol& symbol : *side) {
      if (!is_bracketed(symbol.text)) continue;
      const auto label = moses_labels(symbol.text);
      if (!label)
        return {quoted(symbol.text) + " is neither a word nor a gap, such as [X][X]",
                {"line.value", "symbol"}};
      symbol = {*label, gaps++};
    }
  }
  return {};
}

Reason RuleTextReader::read_hiero(const TextLine& line) {
  if (line.size() < 3 || line.size() > 6)
    return fields_told(line.size(),
                       "[label] ||| source ||| target ||| features, and perhaps ||| alignment");
  const auto left = line[0].size() == 1 ? label_of(line[0][0], format_) : std::nullopt;
  if (!left) return {"it does not begin with a label, such as [X] |||", {"line.value", "label"}};
  rule_.left = *left;
  Reason reason = read_hiero_sides(line[1], line[2]);
  if (reason.empty()) reason = read_features(line[3]);
  if (reason.empty()) reason = read_links(line[4]);
  return reason;
}

Reason RuleTextReader::read_hiero_sides(TextLine::Field source, TextLine::Field target) {
  if (source.empty()) return {"the source is empty", {"line.empty", "source"}};
  Reason reason = symbols(source, rule_.source);
  if (reason.empty()) reason = symbols(target, rule_.target);
  if (!reason.empty()) return reason;
  gap_numbers_.clear();
  std::vector<std::string_view> labels;
  for (TextSymbol& symbol : rule_.source) {
    const auto gap = hiero_gap(symbol.text, format_, false);
    if (!gap) continue;
    const std::int64_t number =
        gap->number ? gap->number : static_cast<std::int64_t>(labels.size()) + 1;
    if (std::ranges::count(gap_numbers_, number))
      return {joined("gap ", number, " is twice in the source"), {"line.duplicate", "gap"}};
    symbol = {gap->label, static_cast<std::int32_t>(labels.size())};
    gap_numbers_.push_back(number);
    labels.push_back(gap->label);
  }
  for (TextSymbol& symbol : rule_.target) {
    const auto gap = hiero_gap(symbol.text, format_, true);
    if (!gap) continue;
    const auto found = std::ranges::find(gap_numbers_, gap->number);
    if (found == gap_numbers_.end())
      return {joined("gap ", quoted(symbol.text),
                     " of the target is not in the source, or is there twice"),
              {"line.unknown", "gap"}};
    const auto place = static_cast<std::size_t>(found - gap_numbers_.begin());
    if (!gap->label.empty() && gap->label != labels[place])
      return {joined("gap ", gap->number, " is ", quoted(labels[place]), " in the source and ",
                     quoted(gap->label), " in the target"),
              {"line.value", "gap"}};
    symbol = {{}, static_cast<std::int32_t>(place)};
    *found = -1;  // taken
  }
  for (std::size_t place = 0; place < labels.size(); ++place)
    if (gap_numbers_[place] >= 0)
      return {joined("gap ", gap_numbers_[place], " is not in the target"), {"line.fields", "gap"}};
  return {};
}

/// Links of words go to the rule, those of gaps are kept aside.
Reason RuleTextReader::read_links(TextLine::Field field) {
  gap_links_.clear();
  for (const std::string_view word : field) {
    const std::size_t dash = word.find('-');
    const std::int64_t source = dash == word.npos ? -1 : parse_count(word.substr(0, dash));
    const std::int64_t target = dash == word.npos ? -1 : parse_count(word.substr(dash + 1));
    if (source < 0 || target < 0)
      return {joined("a link is ", quoted(word), ", expected places such as 0-1"),
              {"line.number", "alignment"}};
    if (source >= std::ssize(rule_.source) || target >= std::ssize(rule_.target))
      return {joined("link ", word, " leaves the rule, which has ", rule_.source.size(), " and ",
                     rule_.target.size(), " symbols"),
              {"line.unknown", "alignment"}};
    const TextSymbol &from = rule_.source[static_cast<std::size_t>(source)],
                     &to = rule_.target[static_cast<std::size_t>(target)];
    if ((from.gap < 0) != (to.gap < 0))
      return {joined("link ", word, " is between a word and a gap"), {"line.value", "alignment"}};
    const RuleLink link{static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)};
    if (from.gap < 0)
      rule_.links.push_back(link);
    else if (is_moses(format_))
      gap_links_.push_back(link);
    else if (from.gap != to.gap)
      return {joined("link ", word, " is between different gaps"), {"line.value", "gap"}};
  }
  std::ranges::sort(rule_.links);
  rule_.links.erase(std::unique(rule_.links.begin(), rule_.links.end()), rule_.links.end());
  return {};
}

/// Moses has no numbers of gaps: the links tell which belong together.
Reason RuleTextReader::match_gaps() {
  const auto gaps = [](const std::vector<TextSymbol>& side) {
    return std::ranges::count_if(side, [](const TextSymbol& symbol) { return symbol.gap >= 0; });
  };
  const auto have = gaps(rule_.source);
  if (have != gaps(rule_.target))
    return {joined("the source has ", have, " gaps, the target ", gaps(rule_.target)),
            {"line.fields", "gap"}};
  if (std::ssize(gap_links_) != have)
    return {joined("the alignment has ", gap_links_.size(), " links of gaps, expected ", have),
            {"line.fields", "alignment"}};
  std::ranges::sort(gap_links_);
  std::int64_t taken_source = -1;
  gap_numbers_.clear();
  for (const RuleLink link : gap_links_) {
    const TextSymbol& from = rule_.source[link.source];
    TextSymbol& to = rule_.target[link.target];
    if (link.source == taken_source || std::ranges::count(gap_numbers_, link.target))
      return {"a gap has more than one link", {"line.duplicate", "alignment"}};
    if (from.text != to.text)
      return {joined("gaps ", quoted(from.text), " and ", quoted(to.text), " are linked"),
              {"line.value", "gap"}};
    taken_source = link.source;
    gap_numbers_.push_back(link.target);
    to = {{}, from.gap};
  }
  return {};
}

Reason RuleTextReader::read_counts(TextLine::Field field) {
  if (field.size() > 3)
    return {joined("it has ", field.size(), " counts, expected those of target, source, both"),
            {"line.fields", "counts"}};
  for (std::size_t n = 0; n < field.size(); ++n) {
    const double count = parse_number<double>(field[n]);
    if (!(count >= 0) || std::isinf(count))
      return {joined("a count is ", quoted(field[n]), ", expected a number from 0 on"),
              {"line.number", "counts"}};
    rule_.counts[2 - n] = count;
  }
  return {};
}

Reason RuleTextReader::read_features(TextLine::Field field) {
  std::size_t without_name = 0;
  for (std::string_view word : field) {
    while (!word.empty()) {  // cdec has semicolons between features, too
      const std::size_t end =
          format_ == RuleFormat::cdec ? std::min(word.find(';'), word.size()) : word.size();
      Reason reason = end ? read_feature(word.substr(0, end), without_name) : Reason();
      if (!reason.empty()) return reason;
      word.remove_prefix(std::min(end + 1, word.size()));
    }
  }
  return {};
}

Reason RuleTextReader::read_feature(std::string_view text, std::size_t& without_name) {
  const std::size_t equals = text.find('=');
  const bool is_named = equals != text.npos;
  const auto value = parse_number<float>(is_named ? text.substr(equals + 1) : text);
  if (std::isnan(value) || std::isinf(value))
    return {joined("a feature is ", quoted(text),
                   ", expected NAME=VALUE or a number, and a finite one"),
            {"line.number", "features"}};
  const std::string_view name = is_named ? text.substr(0, equals) : unnamed(without_name++);
  if (name.empty())
    return {joined("feature ", quoted(text), " has no name"), {"line.empty", "features"}};
  for (const TextFeature& before : rule_.features)
    if (before.name == name)
      return {joined("feature ", quoted(name), " is there twice"), {"line.duplicate", "features"}};
  const bool is_negated = !is_named && format_ == RuleFormat::joshua;
  rule_.features.push_back({name, (is_negated ? -value : value) + 0.0F});  // never -0
  return {};
}

std::string_view RuleTextReader::unnamed(std::size_t place) {
  const std::size_t first = is_moses(format_) ? 1 : 0;
  while (unnamed_.size() <= place)
    unnamed_.push_back(prefix_ + std::to_string(unnamed_.size() + first));
  return unnamed_[place];
}

ReorderingReader::ReorderingReader(TextRules& rules, std::size_t directions, std::size_t classes,
                                   std::int64_t max_bytes, bool skip_bad)
    : LineReader(max_bytes, skip_bad),
      rules_(rules),
      width_(directions * classes),
      line_of_(static_cast<std::size_t>(rules.size()), 0) {
  rules_.add_columns(width_, static_cast<float>(-std::log(static_cast<double>(classes))));
}

Reason ReorderingReader::read(const TextLine& line, std::int64_t number) {
  if (line.size() != 3) return fields_told(line.size(), "source ||| target ||| probabilities");
  if (line[0].empty()) return {"the source is empty", {"line.empty", "source"}};
  Reason reason = read_probabilities(line[2], logs_);
  if (!reason.empty()) return reason;
  if (logs_.size() != width_)
    return {joined("it has ", logs_.size(), " probabilities, expected ", width_),
            {"line.fields", "probability"}};
  const std::int64_t rule = rules_.find(line[0], line[1]);
  if (rule < 0) {
    ++unmatched_;
    return {};
  }
  std::int64_t& before = line_of_[static_cast<std::size_t>(rule)];
  if (before)
    return {joined("it has the same phrases as line ", before), {"line.duplicate", "phrases"}};
  before = number;
  ++matched_;
  count_zeros(logs_);
  std::ranges::copy(logs_, rules_.columns(rule).begin());
  return {};
}

}  // namespace rosewood
