// core/rules/table_filter.cpp: sources that match sentences, and their rules in a new table.
#include "rules/table_filter.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "rules/table_search.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// Walks the trie with the set of places up to which a node matches a sentence, so that each node
/// is looked at once, however many ways there are.
class SourceMatcher {
 public:
  explicit SourceMatcher(const RuleTable& table) : table_(table) {}

  template <class Mark>
  void match(std::span<const std::int32_t> sentence, Mark&& mark) {
    set(sentence);
    depth_ = 0;
    visit(RuleTable::root());
    while (depth_) {
      if (tops_[depth_ - 1].next == tops_[depth_ - 1].end) {
        --depth_;
        continue;
      }
      const Step step = steps_[tops_[depth_ - 1].next++];
      const RuleRange range = table_.rules(step.node);
      if (!range.is_empty()) mark(range.first);
      if (!table_.has_children(step.node)) continue;
      if (step.type < 0)
        after_gap();
      else
        after_word(static_cast<std::size_t>(step.type));
      visit(step.node);
    }
  }

 private:
  struct Step {
    RuleTable::Node node;
    std::int64_t type;  // which word of the sentence; negative for gaps
  };
  struct Top {
    std::size_t next, end;  // of steps_
  };

  void set(std::span<const std::int32_t> sentence) {
    size_ = sentence.size();
    words_ = size_ / 64 + 1;  // places 0 .. size_
    types_.assign(sentence.begin(), sentence.end());
    std::ranges::sort(types_);
    types_.erase(std::ranges::unique(types_).begin(), types_.end());
    if (!types_.empty() && types_[0] < 0) types_.erase(types_.begin());
    type_of_.resize(size_);
    occurs_.assign(types_.size() * words_, 0);
    for (std::size_t at = 0; at < size_; ++at) {
      const auto found = std::ranges::lower_bound(types_, sentence[at]);
      type_of_[at] = sentence[at] < 0 ? -1 : found - types_.begin();
      if (sentence[at] >= 0)
        occurs_[static_cast<std::size_t>(type_of_[at]) * words_ + at / 64] |= std::uint64_t{1}
                                                                              << at % 64;
    }
    // Places of the root: everywhere.
    places_.assign(words_, ~std::uint64_t{0});
    is_seen_.assign(types_.size(), 0);
    steps_.clear();
  }

  std::uint64_t* places(std::size_t depth) { return places_.data() + depth * words_; }
  void make_places() {
    if (places_.size() < (depth_ + 1) * words_) places_.resize((depth_ + 1) * words_);
  }
  /// Places behind a word, from those before it, into the next level.
  void after_word(std::size_t type) {
    make_places();
    const std::uint64_t* before = places(depth_ - 1);
    std::uint64_t* after = places(depth_);
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t found = before[w] & occurs_[type * words_ + w];
      after[w] = found << 1 | carry;
      carry = found >> 63;
    }
  }
  /// Places behind a gap: all but the first that it can begin at, and those before.
  void after_gap() {
    make_places();
    const std::uint64_t* before = places(depth_ - 1);
    std::uint64_t* after = places(depth_);
    bool is_behind = false;
    for (std::size_t w = 0; w < words_; ++w) {
      after[w] = is_behind ? ~std::uint64_t{0} : 0;
      if (!is_behind && before[w]) {
        const std::uint64_t lowest = before[w] & (0 - before[w]);
        after[w] = ~(lowest | (lowest - 1));
        is_behind = true;
      }
    }
  }

  /// Lists where to go from a node, whose places are those of the level.
  void visit(RuleTable::Node node) {
    const std::size_t begin = depth_ ? tops_[depth_ - 1].end : 0;
    steps_.resize(begin);
    const std::uint64_t* here = places(depth_);
    bool has_gap_room = false;
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t rest = here[w]; rest; rest &= rest - 1) {
        const std::size_t at = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (at >= size_) break;
        has_gap_room = true;
        if (type_of_[at] < 0 || is_seen_[static_cast<std::size_t>(type_of_[at])]) continue;
        const auto type = static_cast<std::size_t>(type_of_[at]);
        is_seen_[type] = 1;
        seen_.push_back(type);
        const RuleTable::Node next = table_.advance(node, types_[type]);
        if (next != RuleTable::nowhere()) steps_.push_back({next, type_of_[at]});
      }
    for (const std::size_t type : seen_) is_seen_[type] = 0;
    seen_.clear();
    if (has_gap_room && table_.layout().max_gaps) {
      const RuleTable::Children children = table_.children(node);
      for (std::uint64_t child = children.begin; child < children.end && table_.symbol({child}) < 0;
           ++child)
        steps_.push_back({{child}, -1});
    }
    if (depth_ == table_.layout().levels) steps_.resize(begin);  // damaged: no source is as long
    tops_.resize(std::max(tops_.size(), depth_ + 1));
    tops_[depth_++] = {begin, steps_.size()};
  }

  const RuleTable& table_;
  std::size_t size_ = 0, words_ = 0, depth_ = 0;
  std::vector<std::int32_t> types_;
  std::vector<std::int64_t> type_of_;
  std::vector<std::uint64_t> occurs_, places_;
  std::vector<std::uint8_t> is_seen_;
  std::vector<std::size_t> seen_;
  std::vector<Step> steps_;
  std::vector<Top> tops_;
};

/// Words that are used, with new numbers in the old order.
class UsedWords {
 public:
  explicit UsedWords(const TableWords& words)
      : words_(words), number_(static_cast<std::size_t>(words.size()), -1) {}
  void use(std::span<const std::int32_t> symbols) {
    for (const std::int32_t symbol : symbols) {
      if (symbol < 0) continue;
      if (static_cast<std::size_t>(symbol) >= number_.size())
        fail<RuleError>("file.damaged", "its words are damaged");
      number_[static_cast<std::size_t>(symbol)] = 0;
    }
  }
  void settle() {
    std::int32_t next = 0;
    for (std::size_t word = 0; word < number_.size(); ++word) {
      if (number_[word] < 0) continue;
      number_[word] = next++;
      const std::string_view text = words_[word];
      bytes.insert(bytes.end(), text.begin(), text.end());
      start.push_back(static_cast<std::int64_t>(bytes.size()));
    }
  }
  void renumber(std::vector<std::int32_t>& symbols) const {
    for (std::int32_t& symbol : symbols)
      if (symbol >= 0) symbol = number_[static_cast<std::size_t>(symbol)];
  }

  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> start{0};

 private:
  const TableWords& words_;
  std::vector<std::int32_t> number_;
};

}  // namespace

void TableFilter::add(std::string_view text, int threads) {
  const NumberedText found = number_words(table_.source_words(), text);
  const std::span<const std::int32_t> ids = found.ids;
  const std::vector<std::int64_t>& start = found.start;
  const auto sentences = static_cast<std::int64_t>(start.size()) - 1;
  parallel_blocks(
      sentences, threads, [&] { return SourceMatcher(table_); },
      [&](SourceMatcher& matcher, std::int64_t k) {
        const auto begin = static_cast<std::size_t>(start[static_cast<std::size_t>(k)]);
        const auto end = static_cast<std::size_t>(start[static_cast<std::size_t>(k) + 1]);
        matcher.match(ids.subspan(begin, end - begin), [&](std::uint64_t rule) {
          std::atomic_ref(marks_[rule / 64])
              .fetch_or(std::uint64_t{1} << rule % 64, std::memory_order_relaxed);
        });
      });
}

template <class Body>
void TableFilter::for_each_kept(std::uint64_t limit, Body&& body) const {
  table_.for_each_source([&](std::span<const std::int32_t> source, const RuleRange& range) {
    if (!(marks_[range.first / 64] >> range.first % 64 & 1)) return;
    const std::uint64_t last = range.first + std::min(limit, range.last - range.first);
    for (std::uint64_t rule = range.first; rule < last; ++rule) body(source, rule);
  });
}

void TableFilter::write(RuleTableWriter& writer, std::uint64_t limit) const {
  UsedWords source_words(table_.source_words()), target_words(table_.target_words());
  std::vector<std::int32_t> target;
  for_each_kept(limit, [&](std::span<const std::int32_t> source, std::uint64_t rule) {
    source_words.use(source);
    target.clear();
    table_.append_target(rule, target);
    target_words.use(target);
  });
  source_words.settle();
  target_words.settle();
  RuleBuffer buffer;
  for_each_kept(limit, [&](std::span<const std::int32_t> source, std::uint64_t rule) {
    table_.read(rule, buffer);
    buffer.source.assign(source.begin(), source.end());
    source_words.renumber(buffer.source);
    target_words.renumber(buffer.target);
    buffer.target_place = -1;  // the text stays behind
    writer.add_with_id(buffer.view(), table_.id(rule));
  });
  writer.set_num_ids(table_.layout().num_ids);
  writer.finish(source_words.bytes, source_words.start, target_words.bytes, target_words.start);
}

}  // namespace rosewood
