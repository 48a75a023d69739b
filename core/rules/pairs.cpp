#include "rules/pairs.hpp"

#include <bit>
#include <cmath>
#include <vector>

namespace rosewood {
namespace {

constexpr int pair_row = 8;  // place, runs, gaps, count, orientations
constexpr int marginal_row = 3;

/// Counts of one rule as its instances come by.
class PairGatherer {
 public:
  PairGatherer(Spool<std::uint64_t>& pairs, RuleTotals& totals) : pairs_(pairs), totals_(totals) {}

  void begin(const InstanceCollector::Instance& first, bool is_first_of_source) {
    pair_ = {};
    pair_.place = first.place;
    pair_.shape = first.shape;
    pair_.is_first = is_first_of_source;
    best_pattern_ = pattern_ = first.links;
    best_count_ = pattern_count_ = 0;
    pattern_place_ = first.place;
    pattern_shape_ = first.shape;
  }
  void add(const InstanceCollector::Instance& instance) {
    if (instance.links != pattern_) {
      end_pattern();
      pattern_ = instance.links;
      pattern_count_ = 0;
      pattern_place_ = instance.place;
      pattern_shape_ = instance.shape;
    }
    const double count = 1.0 / instance.share;
    pattern_count_ += count;
    pair_.count += count;
    ++pair_.orientation[static_cast<std::size_t>(instance.backward)];
    ++pair_.orientation[static_cast<std::size_t>(4 + instance.forward)];
  }
  double end() {
    end_pattern();
    ++totals_.rules;
    totals_.sources += pair_.is_first;
    totals_.count += pair_.count;
    const double rounded = std::ceil(pair_.count - 1e-9);
    if (rounded <= 10) ++totals_.of_count[static_cast<std::size_t>(std::max(1.0, rounded))];
    for (std::size_t n = 0; n < 8; ++n) totals_.orientation[n] += pair_.orientation[n];
    pairs_.push(std::uint64_t{pair_.place.source} << 32 | std::uint64_t{pair_.place.target} << 1 |
                std::uint64_t{pair_.is_first});
    pairs_.push(pair_.shape.packed_runs());
    pairs_.push(pair_.shape.packed_gaps());
    pairs_.push(std::bit_cast<std::uint64_t>(pair_.count));
    for (std::size_t n = 0; n < 8; n += 2)
      pairs_.push(std::uint64_t{pair_.orientation[n]} << 32 | pair_.orientation[n + 1]);
    return pair_.count;
  }

 private:
  void end_pattern() {
    const bool is_better = pattern_count_ > best_count_ ||
                           (pattern_count_ == best_count_ &&
                            is_taken_before(pattern_, best_pattern_, pair_.shape.source_symbols()));
    if (!is_better) return;
    best_pattern_ = pattern_;
    best_count_ = pattern_count_;
    pair_.place = pattern_place_;
    pair_.shape = pattern_shape_;  // gaps may be of other sizes there
  }

  Spool<std::uint64_t>& pairs_;
  RuleTotals& totals_;
  RulePair pair_;
  std::uint64_t pattern_ = 0, best_pattern_ = 0;
  double pattern_count_ = 0, best_count_ = 0;
  RulePlace pattern_place_{};
  RuleShape pattern_shape_;
};

}  // namespace

RuleTotals write_pairs(InstanceCollector& instances, const std::string& pairs_path,
                       const std::string& targets_path) {
  RuleTotals totals;
  Spool<std::uint64_t> pairs(pairs_path), targets(targets_path);
  PairGatherer gatherer(pairs, totals);
  const auto size = static_cast<std::size_t>(instances.name_size());
  std::vector<std::uint64_t> name(2 * size);
  const auto end = [&] {
    targets.append({name.data() + size, size});
    targets.push(std::bit_cast<std::uint64_t>(gatherer.end()));
  };
  bool is_begun = false;
  while (const std::uint64_t* row = instances.next()) {
    const auto instance = instances.read(row);
    const bool is_same_source = is_begun && std::equal(name.begin(), name.begin() + size, row);
    if (!is_same_source || !std::equal(name.begin() + size, name.end(), row + size)) {
      if (is_begun) end();
      std::copy_n(row, 2 * size, name.begin());
      gatherer.begin(instance, !is_same_source);
      is_begun = true;
    }
    gatherer.add(instance);
  }
  if (is_begun) end();
  pairs.close();
  targets.close();
  return totals;
}

void write_marginals(const std::string& targets_path, std::uint64_t rules, bool has_gaps,
                     const Discounts& discounts, const SortRoom& room,
                     const std::string& marginals_path) {
  const int size = has_gaps ? 2 : 1;
  RowSorter by_target(size + 2, size, room, "targets");
  {
    const auto whole =
        Spool<std::uint64_t>::written(targets_path, rules * static_cast<std::uint64_t>(size + 1));
    auto reader = whole.read();
    for (std::uint64_t rule = 0; rule < rules; ++rule) {
      std::uint64_t* row = by_target.add();
      for (int n = 0; n < size; ++n) row[n] = reader.next();
      row[size] = rule;
      row[size + 1] = reader.next();
    }
  }
  by_target.finish();
  RowSorter by_rule(1 + marginal_row, 1, {room.folder, room.bytes, room.threads}, "marginals");
  std::vector<std::uint64_t> name(static_cast<std::size_t>(size)), same;
  TargetMarginal sum;
  const auto end = [&] {
    for (const std::uint64_t rule : same) {
      std::uint64_t* row = by_rule.add();
      row[0] = rule;
      row[1] = std::bit_cast<std::uint64_t>(sum.count);
      row[2] = std::bit_cast<std::uint64_t>(sum.sources);
      row[3] = std::bit_cast<std::uint64_t>(sum.discount);
    }
    same.clear();
    sum = {};
  };
  while (const std::uint64_t* row = by_target.next()) {
    if (!same.empty() && !std::equal(name.begin(), name.end(), row)) end();
    std::copy_n(row, size, name.begin());
    same.push_back(row[size]);
    const double count = std::bit_cast<double>(row[size + 1]);
    sum.count += count;
    sum.sources += 1;
    sum.discount += discount_of(discounts, count);
  }
  end();
  by_rule.finish();
  Spool<double> marginals(marginals_path);
  while (const std::uint64_t* row = by_rule.next())
    for (int n = 1; n <= marginal_row; ++n) marginals.push(std::bit_cast<double>(row[n]));
  marginals.close();
}

PairReader::PairReader(const std::string& pairs_path, const std::string& marginals_path,
                       std::uint64_t rules)
    : left_(rules),
      pairs_(Spool<std::uint64_t>::written(pairs_path, rules * pair_row).read()),
      marginals_(Spool<double>::written(marginals_path, rules * marginal_row).read()) {}

RulePair PairReader::next(TargetMarginal& target) {
  --left_;
  RulePair pair;
  const std::uint64_t place = pairs_.next();
  pair.place = {static_cast<std::uint32_t>(place >> 32),
                static_cast<std::uint32_t>(place >> 1 & 0x7fffffff)};
  pair.is_first = place & 1;
  const std::uint64_t runs = pairs_.next();
  pair.shape = RuleShape::unpacked(runs, pairs_.next());
  pair.count = std::bit_cast<double>(pairs_.next());
  for (std::size_t n = 0; n < 8; n += 2) {
    const std::uint64_t two = pairs_.next();
    pair.orientation[n] = static_cast<std::uint32_t>(two >> 32);
    pair.orientation[n + 1] = static_cast<std::uint32_t>(two);
  }
  target.count = marginals_.next();
  target.sources = marginals_.next();
  target.discount = marginals_.next();
  return pair;
}

}  // namespace rosewood
