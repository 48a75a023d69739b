// core/rules/leave_one_out.hpp: rules of a table that a sentence pair of its corpus has, and their
// scores without that pair. No Python here.
//
// A pair adds n to the count c of a rule, n_s to that of its source and n_t to that of its target.
// Without it, log c/c_s becomes log (c-n)/(c_s-n_s), and log c/c_t becomes log (c-n)/(c_t-n_t); the
// differences are what is added to a rule's scores, whatever their smoothing. A rule that was seen
// in this pair alone has -infinity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rules/instances.hpp"
#include "rules/table.hpp"

namespace rosewood {

/// Of many pairs, one after the other: rules ascend within a pair.
struct PairRules {
  std::vector<std::int64_t> start{0};
  std::vector<std::int64_t> rule;
  std::vector<double> added;  // two for each rule: to the scores given its source, given its target
};

/// The rules of some sentence pairs of the corpus that the table was extracted from with these
/// settings; `copies` is how often each pair is in the corpus, links and all: it is left out as
/// often. Refuses numbers that no pair has, and copies that are not one for each pair.
PairRules rules_of_pairs(const AlignedCorpus& corpus, const RuleTable& table,
                         const InstanceSettings& settings, std::span<const std::int64_t> pairs,
                         std::span<const std::int64_t> copies, int threads);

}  // namespace rosewood
