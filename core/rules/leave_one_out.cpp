#include "rules/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {
namespace {

constexpr std::int64_t block = 16;  // pairs that a thread takes at a time
constexpr std::uint64_t few = 32;   // rules of a source that are looked through
constexpr double nothing = 1e-9;    // shares of counts do not add up exactly

using Symbols = std::vector<std::int32_t>;

struct SymbolsHash {
  std::size_t operator()(const Symbols& symbols) const {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(symbols.data()), symbols.size() * sizeof(std::int32_t)});
  }
};

template <class Value>
using BySymbols = std::unordered_map<Symbols, Value, SymbolsHash>;

/// What a thread needs to find the rules of one pair after the other.
class Finder {
 public:
  Finder(const AlignedCorpus& corpus, const RuleTable& table, const InstanceSettings& settings)
      : corpus_(corpus), table_(table), settings_(settings) {}

  void find(std::int64_t pair, double copies, PairRules& out) {
    sources_.clear();
    targets_.clear();
    pairs_.clear();
    corpus_.set(sentence_, pair);
    const auto at = static_cast<std::size_t>(pair);
    source_ = corpus_.source.ids.subspan(static_cast<std::size_t>(corpus_.source.start[at]));
    target_ = corpus_.target.ids.subspan(static_cast<std::size_t>(corpus_.target.start[at]));
    if (settings_.has_gaps)
      for_each_gapped(sentence_, settings_.gaps, [this](const GappedRule& rule) { count(rule); });
    else
      for_each_phrase(sentence_, settings_.max_phrase, settings_.max_phrase,
                      [this](const Box& box) { count({box, 0, {}, 1}); });
    rows_.clear();
    for (const auto& [name, n] : pairs_) {
      const std::int64_t rule = find_rule(*name.first, *name.second);
      if (rule >= 0)
        rows_.push_back({rule, copies * n, copies * sources_.at(*name.first),
                         copies * targets_.at(*name.second)});
    }
    std::ranges::sort(rows_, {}, &Row::rule);
    for (const Row& row : rows_) {
      table_.read(static_cast<std::uint64_t>(row.rule), buffer_);
      out.rule.push_back(row.rule);
      out.added.push_back(change(buffer_.count, row.n, buffer_.source_count, row.source));
      out.added.push_back(change(buffer_.count, row.n, buffer_.target_count, row.target));
    }
    out.start.push_back(static_cast<std::int64_t>(out.rule.size()));
  }

 private:
  struct Row {
    std::int64_t rule;
    double n, source, target;
  };
  using Name = std::pair<const Symbols*, const Symbols*>;  // keys of the maps of counts
  struct NameHash {
    std::size_t operator()(const Name& name) const {
      const auto one = reinterpret_cast<std::uintptr_t>(name.first);
      const auto other = reinterpret_cast<std::uintptr_t>(name.second);
      return static_cast<std::size_t>((one * 0x9e3779b97f4a7c15ULL) ^ (other >> 4));
    }
  };

  static double change(double count, double n, double of_side, double n_side) {
    if (count - n <= nothing) return -std::numeric_limits<double>::infinity();
    return std::log((count - n) / std::max(of_side - n_side, count - n)) -
           std::log(count / of_side);
  }

  void count(const GappedRule& rule) {
    words_.clear();
    std::int32_t i = rule.outer.source_begin;
    for (std::int32_t n = 0; n < rule.gaps; ++n) {
      const Box& gap = rule.gap[static_cast<std::size_t>(n)];
      for (; i < gap.source_begin; ++i) words_.push_back(source_[static_cast<std::size_t>(i)]);
      words_.push_back(-1);
      i = gap.source_end;
    }
    for (; i < rule.outer.source_end; ++i) words_.push_back(source_[static_cast<std::size_t>(i)]);
    const double share = 1.0 / rule.share;
    const auto source = sources_.try_emplace(words_, 0.0).first;
    source->second += share;
    words_.clear();
    const bool is_crossed = rule.gaps == 2 && rule.gap[1].target_begin < rule.gap[0].target_begin;
    std::int32_t j = rule.outer.target_begin;
    for (std::int32_t n = 0; n < rule.gaps; ++n) {
      const std::int32_t number = is_crossed ? 1 - n : n;
      const Box& gap = rule.gap[static_cast<std::size_t>(number)];
      for (; j < gap.target_begin; ++j) words_.push_back(target_[static_cast<std::size_t>(j)]);
      words_.push_back(-1 - number);
      j = gap.target_end;
    }
    for (; j < rule.outer.target_end; ++j) words_.push_back(target_[static_cast<std::size_t>(j)]);
    const auto target = targets_.try_emplace(words_, 0.0).first;
    target->second += share;
    pairs_[{&source->first, &target->first}] += share;
  }

  /// The rule with these sides; -1: none.
  std::int64_t find_rule(const Symbols& source, const Symbols& target) {
    const RuleTable::Node node = table_.find(source);
    if (node == RuleTable::nowhere()) return -1;
    const RuleRange range = table_.rules(node);
    if (range.is_empty()) return -1;
    if (range.last - range.first > few) {  // frequent sources are in many pairs
      auto [known, is_new] = known_.try_emplace(node.number);
      if (is_new)
        for_each(range, [&](std::uint64_t rule) {
          known->second.emplace(words_, static_cast<std::int64_t>(rule));
        });
      const auto found = known->second.find(target);
      return found == known->second.end() ? -1 : found->second;
    }
    std::int64_t found = -1;
    for_each(range, [&](std::uint64_t rule) {
      if (found < 0 && words_ == target) found = static_cast<std::int64_t>(rule);
    });
    return found;
  }

  /// Calls body(rule) with the target of each rule in words_; glue is not extracted.
  template <class Body>
  void for_each(const RuleRange& range, Body&& body) {
    RuleTable::Record record = table_.record(range.first);
    for (std::uint64_t rule = range.first; rule < range.last; ++rule) {
      if (rule > range.first) record = table_.next(record);
      if (table_.labels() > 1 && table_.left(record) != 0) continue;
      words_.clear();
      table_.append_target(record, words_);
      body(rule);
    }
  }

  const AlignedCorpus& corpus_;
  const RuleTable& table_;
  const InstanceSettings& settings_;
  AlignedSentence sentence_;
  std::span<const std::int32_t> source_, target_;
  BySymbols<double> sources_, targets_;
  std::unordered_map<Name, double, NameHash> pairs_;
  std::unordered_map<std::uint64_t, BySymbols<std::int64_t>> known_;  // rules of sources by target
  std::vector<Row> rows_;
  RuleBuffer buffer_;
  Symbols words_;
};

}  // namespace

PairRules rules_of_pairs(const AlignedCorpus& corpus, const RuleTable& table,
                         const InstanceSettings& settings, std::span<const std::int64_t> pairs,
                         std::span<const std::int64_t> copies, int threads) {
  if (copies.size() != pairs.size())
    fail<RuleError>({"argument.shape", "copies"}, "there are ", copies.size(), " numbers for ",
                    pairs.size(), " pairs");
  for (const std::int64_t pair : pairs)
    if (pair < 0 || pair >= corpus.size())
      fail<RuleError>({"argument.range", "pairs"}, "there is no sentence pair ", pair);
  const auto count = static_cast<std::int64_t>(pairs.size());
  std::vector<PairRules> parts(static_cast<std::size_t>((count + block - 1) / block));
  parallel_blocks(
      static_cast<std::int64_t>(parts.size()), threads,
      [&] { return Finder(corpus, table, settings); },
      [&](Finder& finder, std::int64_t b) {
        PairRules& part = parts[static_cast<std::size_t>(b)];
        for (std::int64_t n = b * block; n < std::min(count, (b + 1) * block); ++n)
          finder.find(pairs[static_cast<std::size_t>(n)],
                      static_cast<double>(copies[static_cast<std::size_t>(n)]), part);
      });
  PairRules all;
  for (const PairRules& part : parts) {
    const auto before = static_cast<std::int64_t>(all.rule.size());
    for (std::size_t n = 1; n < part.start.size(); ++n) all.start.push_back(before + part.start[n]);
    all.rule.insert(all.rule.end(), part.rule.begin(), part.rule.end());
    all.added.insert(all.added.end(), part.added.begin(), part.added.end());
  }
  return all;
}

}  // namespace rosewood
