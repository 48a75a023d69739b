// core/rules/table_ids.cpp: ids of rules, which ascend with their numbers.
#include <algorithm>

#include "rules/table.hpp"

namespace rosewood {

std::uint64_t RuleTable::id(std::uint64_t rule) const {
  if (!layout_.ids_width) return rule;
  return bits_at(ids_, rule * layout_.ids_width, static_cast<int>(layout_.ids_width));
}

std::vector<std::int64_t> RuleTable::ids(std::span<const std::int64_t> rules) const {
  std::vector<std::int64_t> found;
  found.reserve(rules.size());
  for (const std::int64_t rule : rules)
    found.push_back(static_cast<std::int64_t>(id(checked(rule))));
  return found;
}

std::uint64_t RuleTable::first_from(std::uint64_t id, std::uint64_t begin,
                                    std::uint64_t end) const {
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (this->id(middle) < id)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

std::uint64_t RuleTable::rule_of(std::uint64_t id) const {
  const std::uint64_t rule = first_from(id, 0, layout_.rules);
  return rule < layout_.rules && this->id(rule) == id ? rule : layout_.rules;
}

std::uint64_t RuleTable::add_by_id(std::span<const std::int64_t> ids,
                                   std::span<const double> values, std::span<double> out) const {
  if (ids.size() != values.size() || out.size() != layout_.rules)
    fail<RuleError>({"argument.shape", "values"}, "there are ", values.size(), " values for ",
                    ids.size(), " ids, and room for ", out.size(), " of ", layout_.rules, " rules");
  std::uint64_t rule = 0, added = 0;
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (ids[n] < 0 || (n && ids[n] <= ids[n - 1]))
      fail<RuleError>({"argument.value", "ids"}, "ids must ascend from 0 on");
    if (values[n] == 0) continue;  // memory that nobody wrote to costs nothing
    const auto id = static_cast<std::uint64_t>(ids[n]);
    if (!layout_.ids_width) {
      rule = std::min(id, layout_.rules);
    } else {  // the next one is not far: steps that double, then halves
      std::uint64_t step = 1, begin = rule;
      while (begin + step < layout_.rules && this->id(begin + step) < id) {
        begin += step;
        step *= 2;
      }
      rule = first_from(id, begin, std::min(begin + step + 1, layout_.rules));
    }
    if (rule == layout_.rules) break;
    if (this->id(rule) != id) continue;
    out[static_cast<std::size_t>(rule)] += values[n];
    ++added;
  }
  return added;
}

}  // namespace rosewood
