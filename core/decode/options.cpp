// core/decode/options.cpp: options from the table, and those that are given.
#include "decode/options.hpp"

#include <algorithm>
#include <unordered_map>

#include "rules/table_search.hpp"

namespace rosewood {

namespace {

constexpr double unknown_cost = -100;  // Moses's, so that its weights fit

std::vector<std::int32_t> number(const TableWords& table, TextWords words) {
  std::vector<std::int32_t> ids;
  ids.reserve(words.size());
  for (const std::string_view word : words) ids.push_back(table.find(word));
  return ids;
}

EdgeLinks edge_links(const RuleBuffer& rule, std::int32_t source, std::int32_t target) {
  EdgeLinks found;
  for (const RuleLink& link : rule.links) {
    const auto bits = static_cast<std::uint8_t>(
        EdgeLinks::any | (link.source == source - 1 ? EdgeLinks::to_last : 0) |
        (link.source == 0 ? EdgeLinks::to_first : 0));
    if (link.target == target - 1) found.last |= bits;
    if (link.target == 0) found.first |= bits;
  }
  return found;
}

class Collector {
 public:
  Collector(const WeightedPhraseModel& model, SentenceOptions& out)
      : model_(model.model()),
        out_(out),
        values_(static_cast<std::size_t>(model_.table().layout().features)) {
    const OrientationTracker tracker(model_.slots());
    needs_links_ = tracker.needs_last_links() || tracker.needs_first_links();
  }

  void add_rule(std::int32_t begin, std::int32_t end, const RuleTable::Record& record) {
    model_.table().append_target(record, out_.target);
    const std::int32_t words =
        place(begin, end, static_cast<std::int64_t>(record.rule), OptionOrigin::table);
    model_.table().read_features(record, values_.data());
    model_.check_rule(record.rule, std::span(out_.target).last(static_cast<std::size_t>(words)),
                      values_);
    double* row = out_.features.data() + out_.features.size() - model_.stateless() +
                  model_.first_table_column();
    for (std::size_t i = 0; i < model_.table_columns().size(); ++i)
      row[i] = values_[model_.table_columns()[i]];
    for (const std::int64_t column : model_.orientation_columns())
      out_.orientations.push_back(column < 0 ? 0.0 : double{values_[column]});
    EdgeLinks links;
    if (needs_links_) {
      model_.table().read(record, rule_);
      links = edge_links(rule_, end - begin, words);
    }
    out_.links.push_back(links);
  }

  void add_words(std::int32_t begin, std::int32_t end, TextWords target, OptionOrigin origin) {
    for (const std::string_view word : target) out_.target.push_back(word_number(word));
    const std::int32_t words = place(begin, end, -1, origin);
    out_.orientations.resize(out_.orientations.size() + model_.orientation_columns().size());
    constexpr std::uint8_t all = EdgeLinks::any | EdgeLinks::to_first | EdgeLinks::to_last;
    out_.links.push_back(words ? EdgeLinks{all, all} : EdgeLinks{});
  }

 private:
  std::int32_t place(std::int32_t begin, std::int32_t end, std::int64_t rule, OptionOrigin origin) {
    const auto words = static_cast<std::int32_t>(static_cast<std::int64_t>(out_.target.size()) -
                                                 out_.target_start.back());
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
    return words;
  }

  std::int32_t word_number(std::string_view word) {
    const std::int32_t known = model_.table().target_words().find(word);
    if (known >= 0) return known;
    const auto first = static_cast<std::int32_t>(model_.table().target_words().size());
    const auto added = extra_.emplace(std::string(word), extra_.size());
    if (added.second) out_.extra_words.emplace_back(word);
    return first + static_cast<std::int32_t>(added.first->second);
  }

  const PhraseModel& model_;
  SentenceOptions& out_;
  std::vector<float> values_;
  RuleBuffer rule_;
  bool needs_links_;
  std::unordered_map<std::string, std::size_t> extra_;
};

}  // namespace

void SentenceOptions::set_columns(std::vector<double>& rows, std::size_t first,
                                  std::span<const double> values, std::size_t columns) {
  const std::size_t width = size() ? rows.size() / size() : first + columns;
  if (values.size() != size() * columns || first + columns > width)
    fail<DecodingError>("argument.shape", "there are ", values.size(), " numbers for ", size(),
                        " options");
  for (std::size_t n = 0; n < size(); ++n)
    std::copy_n(values.data() + n * columns, columns, rows.data() + n * width + first);
}

SentenceOptions find_sentence_options(const WeightedPhraseModel& model, TextWords words,
                                      std::size_t max_span, std::span<const GivenOption> given,
                                      UnknownWords unknown) {
  const RuleTable& table = model.model().table();
  const auto ids = number(table.source_words(), words);
  SentenceOptions found;
  found.length = static_cast<std::int32_t>(words.size());
  std::vector<std::uint8_t> is_translated(words.size());
  std::vector<const GivenOption*> forced(words.size());  // the one that a word belongs to
  std::vector<std::vector<const GivenOption*>> given_at(words.size());
  for (const GivenOption& each : given) {
    if (each.begin < 0 || each.begin >= each.end || each.end > found.length)
      fail<DecodingError>("argument.range", "a translation is given for words ", each.begin, " to ",
                          each.end, " of a sentence of ", found.length, " words");
    given_at[static_cast<std::size_t>(each.begin)].push_back(&each);
    if (each.kind != GivenKind::forced) continue;
    for (std::int32_t word = each.begin; word < each.end; ++word) {
      const GivenOption*& owner = forced[static_cast<std::size_t>(word)];
      if (!owner) owner = &each;
      if (owner->begin != each.begin || owner->end != each.end)
        fail<DecodingError>("decoding.overlap", "forced translations overlap: of words ",
                            owner->begin, " to ", owner->end, " and ", each.begin, " to ",
                            each.end);
    }
  }
  for (auto& some : given_at)
    std::stable_sort(some.begin(), some.end(),
                     [](const GivenOption* a, const GivenOption* b) { return a->end < b->end; });
  const auto touches_forced = [&](const GivenOption& each) {
    return std::any_of(forced.begin() + each.begin, forced.begin() + each.end,
                       [](const GivenOption* owner) { return owner != nullptr; });
  };
  Collector collector(model, found);
  std::size_t next_given = 0;  // words whose given options have been added
  const auto add_given = [&](std::size_t to) {
    for (; next_given < to; ++next_given) {
      bool has_one = is_translated[next_given] || forced[next_given];
      for (const GivenOption* each : given_at[next_given]) {
        const bool is_unknown = each->kind == GivenKind::unknown;
        if (each->kind != GivenKind::forced && touches_forced(*each)) continue;
        has_one = has_one || each->end == each->begin + 1;
        collector.add_words(each->begin, each->end, each->target,
                            is_unknown ? OptionOrigin::unknown : OptionOrigin::given);
      }
      if (!has_one)
        collector.add_words(
            static_cast<std::int32_t>(next_given), static_cast<std::int32_t>(next_given) + 1,
            unknown == UnknownWords::copy ? words.subspan(next_given, 1) : TextWords{},
            OptionOrigin::unknown);
    }
  };
  for_each_span(table, ids, max_span,
                [&](std::size_t begin, std::size_t end, const RuleRange& range) {
                  add_given(begin);
                  for (std::size_t word = begin; word < end; ++word)
                    if (forced[word]) return;
                  if (end == begin + 1) is_translated[begin] = 1;
                  model.for_each_rule(range, [&](const RuleTable::Record& record) {
                    collector.add_rule(static_cast<std::int32_t>(begin),
                                       static_cast<std::int32_t>(end), record);
                  });
                });
  add_given(words.size());
  return found;
}

std::vector<std::int32_t> number_target(const RuleTable& table, const SentenceOptions& options,
                                        TextWords words) {
  auto ids = number(table.target_words(), words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (ids[i] >= 0) continue;
    const auto& extra = options.extra_words;
    const auto found = std::find(extra.begin(), extra.end(), words[i]);
    if (found != extra.end())
      ids[i] = static_cast<std::int32_t>(table.target_words().size()) +
               static_cast<std::int32_t>(found - extra.begin());
  }
  return ids;
}

std::vector<std::int32_t> words_without_option(const RuleTable& table, TextWords words) {
  const auto ids = number(table.source_words(), words);
  std::vector<std::int32_t> found;
  for (std::size_t word = 0; word < ids.size(); ++word) {
    const RuleTable::Node node = table.advance(RuleTable::root(), ids[word]);
    if (node == RuleTable::nowhere() || table.rules(node).is_empty())
      found.push_back(static_cast<std::int32_t>(word));
  }
  return found;
}

}  // namespace rosewood
