// core/decode/chart_options.cpp: CKY+ over the sources of a table (Chappelier & Rajman 1998).
#include "decode/chart_options.hpp"

#include <algorithm>
#include <unordered_map>

#include "decode/option_collector.hpp"

namespace rosewood {

namespace {

/// Labels that can be made of spans, and the matches that make them, for one beginning after the
/// other, from right to left: then all that fills gaps further right is known.
class Matcher {
 public:
  Matcher(const WeightedHieroModel& model, TextWords words, std::size_t max_span,
          const GivenOptions& given, UnknownWords unknown, const std::function<void()>& beat,
          const RuleChanges& changes, ChartOptions& out)
      : model_(model),
        table_(model.model().table()),
        words_(words),
        ids_(word_numbers(table_.source_words(), words)),
        max_span_(max_span),
        given_(given),
        unknown_(unknown),
        beat_(beat),
        out_(out),
        collector_(model.model(), out, false, false, changes),
        labels_(words.size()) {}

  void run() {
    for (std::size_t begin = words_.size(); begin-- > 0;) find_from(begin);
    std::stable_sort(out_.matches.begin(), out_.matches.end(),
                     [](const ChartMatch& a, const ChartMatch& b) {
                       return a.end - a.begin != b.end - b.begin ? a.end - a.begin < b.end - b.begin
                                                                 : a.begin < b.begin;
                     });
  }

 private:
  /// A beginning of a source, as far as it matches: a chain to the root, by its gaps.
  struct Item {
    RuleTable::Node node;
    std::int32_t before;  // the item that was extended; -1: none
    ChartGap gap;         // by which; end is 0 if by a word
    bool has_gap_children;
  };

  void find_from(std::size_t begin) {
    items_.clear();
    const std::size_t last = max_span_ < words_.size() - begin ? begin + max_span_ : words_.size();
    std::size_t longest = last;
    for (const GivenOption* each : given_.at(begin))
      longest = std::max(longest, static_cast<std::size_t>(each->end));
    labels_[begin].assign(longest - begin + 1, {});
    active_.assign(last - begin + 1, {});
    active_[0].push_back(add_item(RuleTable::root(), -1, {}));
    std::vector<Given> given;
    for (std::size_t end = begin + 1; end <= longest; ++end) {
      bool is_translated = false;
      if (end <= last) {
        extend(begin, end);
        for (const std::int32_t item : active_[end - begin])
          is_translated |= add_match(begin, end, item);
      }
      if (end == begin + 1) given = add_given(begin, is_translated);
      for (const Given& each : given)
        if (each.end == end) add_given_match(begin, each);
      if (end > last) continue;
      add_unary(begin, end);
      for (const std::int32_t label : labels_[begin][end - begin])
        extend_by(active_[end - begin], 0, begin, end, label);
    }
  }

  std::int32_t add_item(RuleTable::Node node, std::int32_t before, ChartGap gap) {
    if (++ticks_ % ticks_of_beat == 0) beat_();
    const RuleTable::Children children = table_.children(node);
    const bool has_gaps = children.begin < children.end && table_.symbol({children.begin}) < 0;
    items_.push_back({node, before, gap, has_gaps});
    return static_cast<std::int32_t>(items_.size()) - 1;
  }

  /// The items that match until `end`, but for those that are a single gap. Words of forced spans
  /// match nothing, so no label is found where a span would be cut.
  void extend(std::size_t begin, std::size_t end) {
    auto& found = active_[end - begin];
    if (!given_.forced(end - 1))
      for (const std::int32_t item : active_[end - 1 - begin]) {
        const RuleTable::Node next = table_.advance(items_[item].node, ids_[end - 1]);
        if (next != RuleTable::nowhere()) found.push_back(add_item(next, item, {}));
      }
    for (std::size_t middle = begin + 1; middle < end; ++middle) {
      const auto& before = active_[middle - begin];
      const auto& labels = labels_[middle];
      if (end - middle >= labels.size()) continue;
      for (const std::int32_t item : before)
        if (items_[item].has_gap_children)
          extend_by(found, item, middle, end, labels[end - middle]);
    }
  }

  /// By a gap of any of these labels, which are sorted, as the children of a node are: whichever is
  /// shorter is gone through.
  void extend_by(std::vector<std::int32_t>& found, std::int32_t item, std::size_t from,
                 std::size_t to, std::span<const std::int32_t> labels) {
    const RuleTable::Children children = table_.children(items_[item].node);
    if (labels.size() < children.end - children.begin) {
      for (const std::int32_t label : labels) extend_by(found, item, from, to, label);
      return;
    }
    for (RuleTable::Node next{children.begin}; next.number < children.end; ++next.number) {
      const std::int32_t label = ~table_.symbol(next);
      if (label < 0) return;  // words come after gaps
      if (std::ranges::binary_search(labels, label)) add_gap(found, next, item, from, to, label);
    }
  }

  void extend_by(std::vector<std::int32_t>& found, std::int32_t item, std::size_t from,
                 std::size_t to, std::int32_t label) {
    if (!items_[item].has_gap_children) return;
    const RuleTable::Node next = table_.advance_gap(items_[item].node, label);
    if (next != RuleTable::nowhere()) add_gap(found, next, item, from, to, label);
  }

  void add_gap(std::vector<std::int32_t>& found, RuleTable::Node next, std::int32_t item,
               std::size_t from, std::size_t to, std::int32_t label) {
    found.push_back(add_item(
        next, item, {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), label}));
  }

  /// Whether there are rules without gaps.
  bool add_match(std::size_t begin, std::size_t end, std::int32_t item) {
    const RuleTable::Node node = items_[item].node;
    if (table_.rules(node).is_empty()) return false;
    gaps_.clear();
    for (std::int32_t at = item; at >= 0; at = items_[at].before)
      if (items_[at].gap.end) gaps_.push_back(items_[at].gap);
    std::reverse(gaps_.begin(), gaps_.end());
    const bool has_rules = add_match(begin, end, node, false);
    return gaps_.empty() && has_rules;
  }

  /// Whether there is any rule.
  bool add_match(std::size_t begin, std::size_t end, RuleTable::Node node, bool is_unary) {
    const auto gaps = static_cast<std::int32_t>(gaps_.size());
    List list{static_cast<std::int32_t>(out_.size()), 0};
    const auto known = gaps ? lists_.find(node.number) : lists_.end();
    if (known != lists_.end()) {
      list = known->second;
    } else {
      model_.for_each_rule(table_.rules(node), [&](const RuleTable::Record& record) {
        if (gaps && model_.model().is_glue(record.rule)) return;
        const auto from = gaps ? -1 : static_cast<std::int32_t>(begin);
        if (collector_.add_rule(from, gaps ? -1 : static_cast<std::int32_t>(end), record, gaps))
          out_.left.push_back(left_of(record, gaps));
      });
      list.last = static_cast<std::int32_t>(out_.size());
      if (gaps) lists_.emplace(node.number, list);
    }
    add(begin, end, list, is_unary);
    return list.first < list.last;
  }

  /// The label of the rule that was added last. Refuses a target that does not use each gap of the
  /// source once.
  std::int32_t left_of(const RuleTable::Record& record, std::int32_t gaps) {
    const auto target = out_.target_of(out_.size() - 1);
    const std::int32_t left = table_.labels() > 1 ? table_.left(record) : 0;
    bool is_good =
        std::ranges::count_if(target, [](std::int32_t symbol) { return symbol < 0; }) == gaps;
    for (std::int32_t gap = 0; gap < gaps; ++gap)
      is_good &= std::ranges::count(target, -1 - gap) == 1;
    if (!is_good)
      fail<RuleError>("file.damaged", "rule ", record.rule, " does not use each of its ", gaps,
                      " gaps once: the table is damaged");
    return left;
  }

  struct List {
    std::int32_t first, last;
  };

  void add(std::size_t begin, std::size_t end, List list, bool is_unary = false) {
    out_.matches.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end),
                            list.first, list.last, static_cast<std::int32_t>(out_.gaps.size()),
                            static_cast<std::int32_t>(gaps_.size()), is_unary});
    out_.gaps.insert(out_.gaps.end(), gaps_.begin(), gaps_.end());
    auto& labels = labels_[begin][end - begin];
    for (std::int32_t option = list.first; option < list.last; ++option)
      if (std::ranges::find(labels, out_.left[option]) == labels.end())
        labels.push_back(out_.left[option]);
  }

  struct Given {
    std::size_t end;
    List list;
  };

  /// Options that are not in the table, which begin at a word.
  std::vector<Given> add_given(std::size_t begin, bool is_translated) {
    const auto first = static_cast<std::int32_t>(out_.size());
    given_.add(begin, words_, is_translated, unknown_, collector_);
    std::vector<Given> found;
    for (auto option = first; option < static_cast<std::int32_t>(out_.size()); ++option) {
      out_.left.push_back(0);
      found.push_back({static_cast<std::size_t>(out_.end[option]), {option, option + 1}});
    }
    return found;
  }

  void add_given_match(std::size_t begin, const Given& given) {
    gaps_.clear();
    add(begin, given.end, given.list);
  }

  /// Rules whose source is a single gap, from each label that was found, also by such a rule.
  void add_unary(std::size_t begin, std::size_t end) {
    auto& labels = labels_[begin][end - begin];
    for (std::size_t i = 0; items_[0].has_gap_children && i < labels.size(); ++i) {
      const std::int32_t label = labels[i];
      const RuleTable::Node node = table_.advance_gap(RuleTable::root(), label);
      if (node == RuleTable::nowhere() || table_.rules(node).is_empty()) continue;
      gaps_.assign(1, {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), label});
      add_match(begin, end, node, true);
    }
    std::ranges::sort(labels);
  }

  const WeightedHieroModel& model_;
  const RuleTable& table_;
  TextWords words_;
  std::vector<std::int32_t> ids_;
  std::size_t max_span_;
  const GivenOptions& given_;
  UnknownWords unknown_;
  static constexpr std::uint64_t ticks_of_beat = 1 << 14;  // items: some milliseconds
  std::uint64_t ticks_ = 0;
  const std::function<void()>& beat_;
  ChartOptions& out_;
  OptionCollector collector_;
  std::unordered_map<std::uint64_t, List> lists_;               // options of sources with gaps
  std::vector<std::vector<std::vector<std::int32_t>>> labels_;  // by beginning and length
  std::vector<Item> items_;
  std::vector<std::vector<std::int32_t>> active_;  // items by how many words they match
  std::vector<ChartGap> gaps_;
};

}  // namespace

ChartOptions find_chart_options(const WeightedHieroModel& model, TextWords words,
                                std::size_t max_span, std::span<const GivenOption> given,
                                UnknownWords unknown, const std::function<void()>& beat,
                                const RuleChanges& changes) {
  ChartOptions found;
  found.length = static_cast<std::int32_t>(words.size());
  const GivenOptions others(given, found.length);
  Matcher(model, words, max_span, others, unknown, beat, changes, found).run();
  return found;
}

}  // namespace rosewood
