// core/rules/table_filter.hpp: the part of a rule table that given sentences can use. No Python
// here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/table.hpp"
#include "rules/table_writer.hpp"

namespace rosewood {

/// Takes sentences, then writes the rules whose source matches one of them: words where they
/// stand, and in each gap one word or more. Words are numbered anew, in the same order; ids stay.
class TableFilter {
 public:
  explicit TableFilter(const RuleTable& table)
      : table_(table), marks_(static_cast<std::size_t>(table.size() / 64 + 1)) {}

  /// Sentences, one a line.
  void add(std::string_view text, int threads);
  /// The first `limit` rules of each source; finishes the writer.
  void write(RuleTableWriter& writer, std::uint64_t limit) const;

 private:
  /// Calls body(source, rule) for every rule that stays.
  template <class Body>
  void for_each_kept(std::uint64_t limit, Body&& body) const;

  const RuleTable& table_;
  std::vector<std::uint64_t> marks_;  // a bit for the first rule of each source
};

}  // namespace rosewood
