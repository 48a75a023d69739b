// core/rules/pairs.hpp: the distinct rules of a corpus, with what was counted of them, in files
// that are written and read from front to back. No Python here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/instances.hpp"
#include "util/spool.hpp"

namespace rosewood {

/// A rule and what was counted of it, by itself.
struct RulePair {
  RulePlace place;  // where it is seen with the links that it is seen with most often
  RuleShape shape;
  bool is_first = false;   // of its source
  std::uint64_t seen = 0;  // how often
  double count = 0;        // the same; of rules with gaps the sum of their shares
  std::array<std::uint32_t, 8> orientation{};  // backward: monotone, swap, left, right; forward
};

/// What was counted of the target of a rule, with any source.
struct TargetMarginal {
  double count = 0;
  double sources = 0;   // how many it has
  double discount = 0;  // what Kneser-Ney discounts take from their counts
};

/// What was counted of all rules.
struct RuleTotals {
  std::uint64_t rules = 0, sources = 0;
  std::uint64_t bytes = 0;  // that the file of rules has
  double count = 0;
  std::array<std::uint64_t, 12> of_count{};  // rules that were seen so often; 0 and 11: unused
  std::array<std::uint64_t, 8> orientation{};
};

/// What is taken from a count, where counts are discounted: for 1, 2, and 3 and more.
using Discounts = std::array<double, 3>;
/// Shares of a count are discounted as if they were equal: by as much of each as of a whole one.
inline double discount_of(const Discounts& discounts, double count, std::uint64_t seen) {
  const double whole = discounts[std::min<std::uint64_t>(std::max<std::uint64_t>(seen, 1), 3) - 1];
  return std::min(count, count / static_cast<double>(std::max<std::uint64_t>(seen, 1)) * whole);
}

/// Rules in the order of their sources, each once: reads all instances, in their order.
class PairWriter {
 public:
  /// The instances are sorted, and stay where they are.
  PairWriter(InstanceCollector& instances, const std::string& pairs_path,
             const std::string& targets_path);
  /// Up to so many instances more; how many there were. If they are fewer, all is written.
  std::int64_t step(std::int64_t most);
  const RuleTotals& totals() const { return totals_; }

 private:
  struct Pattern {
    std::uint64_t links;
    std::size_t first;
    double count;
  };
  void end_rule();
  std::size_t most_frequent();

  InstanceCollector& instances_;
  Spool<std::uint8_t> pairs_;
  Spool<std::uint64_t> targets_;
  RuleTotals totals_;
  std::vector<std::uint64_t> last_;  // the row of the rule that is being counted
  bool is_first_ = true;             // of its source
  std::vector<InstanceCollector::Instance> seen_;
  std::vector<Pattern> patterns_;
  std::vector<RuleLink> links_;
};

/// Sums over the rules that have the same target, one for each rule, in the order of rules.
/// `targets_path` is what PairWriter wrote; without discounts, only counts are summed.
void write_marginals(const std::string& targets_path, std::uint64_t rules, bool has_gaps,
                     const std::optional<Discounts>& discounts, const SortRoom& room,
                     const std::string& marginals_path);

/// Reads what PairWriter and write_marginals wrote.
class PairReader {
 public:
  PairReader(const std::string& pairs_path, const std::string& marginals_path,
             const RuleTotals& totals, bool has_gaps, bool has_orientation, bool has_discounts);
  bool is_done() const { return left_ == 0; }
  RulePair next(TargetMarginal& target);

 private:
  std::uint64_t left_;
  bool has_gaps_, has_orientation_, has_discounts_;
  SpoolReader<std::uint8_t> pairs_;
  SpoolReader<double> marginals_;
};

}  // namespace rosewood
