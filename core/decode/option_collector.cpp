// core/decode/option_collector.cpp: options from the table, and those that are given.
#include "decode/option_collector.hpp"

#include <algorithm>
#include <cmath>

namespace rosewood {

namespace {

constexpr double unknown_cost = -100;  // Moses's, so that its weights fit

EdgeLinks edge_links(std::span<const RuleLink> links, std::int32_t source, std::int32_t target) {
  EdgeLinks found;
  for (const RuleLink& link : links) {
    const auto bits = static_cast<std::uint8_t>(
        EdgeLinks::any | (link.source == source - 1 ? EdgeLinks::to_last : 0) |
        (link.source == 0 ? EdgeLinks::to_first : 0));
    if (link.target == target - 1) found.last |= bits;
    if (link.target == 0) found.first |= bits;
  }
  return found;
}

}  // namespace

std::vector<std::int32_t> word_numbers(const TableWords& table, TextWords words) {
  std::vector<std::int32_t> ids;
  ids.reserve(words.size());
  for (const std::string_view word : words) ids.push_back(table.find(word));
  return ids;
}

OptionCollector::OptionCollector(const RuleModel& model, SentenceOptions& out,
                                 bool needs_edge_links, bool keeps_links,
                                 const RuleChanges& changes)
    : model_(model),
      out_(out),
      values_(static_cast<std::size_t>(model.table().layout().features)),
      needs_edge_links_(needs_edge_links),
      keeps_links_(keeps_links),
      changes_(changes) {
  if (keeps_links) out.link_start.push_back(0);
}

bool OptionCollector::add_rule(std::int32_t begin, std::int32_t end,
                               const RuleTable::Record& record, std::int32_t gaps) {
  std::span<const double> changed;
  if (!changes_.rules.empty()) {
    changed = changes_.of(record.rule);
    if (std::ranges::any_of(changed, [](double value) { return std::isinf(value); })) return false;
  }
  model_.table().append_target(record, out_.target);
  const std::int32_t symbols =
      place(begin, end, static_cast<std::int64_t>(record.rule), OptionOrigin::table);
  model_.table().read_numbers(record, values_.data(), counts_);
  model_.check_rule(record.rule, std::span(out_.target).last(static_cast<std::size_t>(symbols)),
                    values_, gaps);
  double* row = out_.features.data() + out_.features.size() - model_.stateless();
  for (std::size_t i = 0; i < model_.table_columns().size(); ++i)
    row[model_.first_table_column() + i] = values_[model_.table_columns()[i]];
  for (std::size_t i = 0; i < changed.size(); ++i) row[changes_.columns[i]] += changed[i];
  for (const std::int64_t column : model_.orientation_columns())
    out_.orientations.push_back(column < 0 ? 0.0 : double{values_[column]});
  if (needs_edge_links_ || keeps_links_ || model_.large())
    model_.table().read_links(record, links_);
  if (model_.large()) fill_large(record, row + model_.first_large_column());
  out_.links.push_back(needs_edge_links_ ? edge_links(links_, end - begin, symbols) : EdgeLinks{});
  if (keeps_links_) {
    out_.rule_links.insert(out_.rule_links.end(), links_.begin(), links_.end());
    out_.link_start.push_back(static_cast<std::int64_t>(out_.rule_links.size()));
  }
  return true;
}

void OptionCollector::fill_large(const RuleTable::Record& record, double* row) {
  if (record.rule < source_begin_ || record.rule >= source_end_) {
    model_.table().read_source(record.rule, source_);
    source_begin_ = record.rule;
    source_end_ = model_.table().last_of_source(record.rule) + 1;
  }
  model_.large()->fill(source_, out_.target_of(out_.size() - 1), links_, counts_, room_, row);
}

void OptionCollector::add_words(std::int32_t begin, std::int32_t end, TextWords target,
                                OptionOrigin origin) {
  for (const std::string_view word : target) out_.target.push_back(word_number(word));
  const std::int32_t words = place(begin, end, -1, origin);
  out_.orientations.resize(out_.orientations.size() + model_.orientation_columns().size());
  constexpr std::uint8_t all = EdgeLinks::any | EdgeLinks::to_first | EdgeLinks::to_last;
  out_.links.push_back(words ? EdgeLinks{all, all} : EdgeLinks{});
  if (keeps_links_) {  // of longer phrases nobody knows them
    if (words == 1 && end == begin + 1) out_.rule_links.push_back({0, 0});
    out_.link_start.push_back(static_cast<std::int64_t>(out_.rule_links.size()));
  }
}

/// The number of target symbols of the new option.
std::int32_t OptionCollector::place(std::int32_t begin, std::int32_t end, std::int64_t rule,
                                    OptionOrigin origin) {
  const auto target = std::span<const std::int32_t>(out_.target)
                          .subspan(static_cast<std::size_t>(out_.target_start.back()));
  const auto words = std::ranges::count_if(target, [](std::int32_t symbol) { return symbol >= 0; });
  out_.begin.push_back(begin);
  out_.end.push_back(end);
  out_.rule.push_back(rule);
  out_.origin.push_back(origin);
  out_.target_start.push_back(static_cast<std::int64_t>(out_.target.size()));
  out_.features.resize(out_.features.size() + model_.stateless());
  double* row = out_.features.data() + out_.features.size() - model_.stateless();
  row[model_.word_penalty()] = words ? -static_cast<double>(words) : 0.0;
  row[model_.phrase_penalty()] = 1;
  row[model_.unknown_penalty()] =
      origin == OptionOrigin::unknown ? unknown_cost * (end - begin) : 0;
  return static_cast<std::int32_t>(target.size());
}

std::int32_t OptionCollector::word_number(std::string_view word) {
  const std::int32_t known = model_.table().target_words().find(word);
  if (known >= 0) return known;
  const auto first = static_cast<std::int32_t>(model_.table().target_words().size());
  const auto added = extra_.emplace(std::string(word), extra_.size());
  if (added.second) out_.extra_words.emplace_back(word);
  return first + static_cast<std::int32_t>(added.first->second);
}

GivenOptions::GivenOptions(std::span<const GivenOption> given, std::int32_t length)
    : forced_(static_cast<std::size_t>(length)), at_(static_cast<std::size_t>(length)) {
  for (const GivenOption& each : given) {
    if (each.begin < 0 || each.begin >= each.end || each.end > length)
      fail<DecodingError>("argument.range", "a translation is given for words ", each.begin, " to ",
                          each.end, " of a sentence of ", length, " words");
    at_[static_cast<std::size_t>(each.begin)].push_back(&each);
    if (each.kind != GivenKind::forced) continue;
    for (std::int32_t word = each.begin; word < each.end; ++word) {
      const GivenOption*& owner = forced_[static_cast<std::size_t>(word)];
      if (!owner) owner = &each;
      if (owner->begin != each.begin || owner->end != each.end)
        fail<DecodingError>("decoding.overlap", "forced translations overlap: of words ",
                            owner->begin, " to ", owner->end, " and ", each.begin, " to ",
                            each.end);
    }
  }
  for (auto& some : at_)
    std::stable_sort(some.begin(), some.end(),
                     [](const GivenOption* a, const GivenOption* b) { return a->end < b->end; });
}

bool GivenOptions::has_forced(std::size_t begin, std::size_t end) const {
  return std::any_of(forced_.begin() + static_cast<std::ptrdiff_t>(begin),
                     forced_.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const GivenOption* owner) { return owner != nullptr; });
}

void GivenOptions::add(std::size_t word, TextWords words, bool has_option, UnknownWords unknown,
                       OptionCollector& collector) const {
  bool has_one = has_option || forced_[word];
  for (const GivenOption* each : at_[word]) {
    const bool is_unknown = each->kind == GivenKind::unknown;
    if (each->kind != GivenKind::forced &&
        has_forced(static_cast<std::size_t>(each->begin), static_cast<std::size_t>(each->end)))
      continue;
    has_one = has_one || each->end == each->begin + 1;
    collector.add_words(each->begin, each->end, each->target,
                        is_unknown ? OptionOrigin::unknown : OptionOrigin::given);
  }
  if (!has_one)
    collector.add_words(static_cast<std::int32_t>(word), static_cast<std::int32_t>(word) + 1,
                        unknown == UnknownWords::copy ? words.subspan(word, 1) : TextWords{},
                        OptionOrigin::unknown);
}

}  // namespace rosewood
