// bind/rules.hpp: what the binding files of rules share: tables and their writers, with what they
// read from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/table.hpp"
#include "rules/table_writer.hpp"
#include "text.hpp"

namespace rosewood::bind {

/// A writer, and the text it reads from.
struct RuleTableWriterHandle {
  RuleTableWriter writer;
  std::vector<nb::object> kept;
};

/// A table and the arrays of its files, which it reads from.
struct RuleTableHandle {
  std::map<std::string, Bytes> files;
  RuleTable table;
};

}  // namespace rosewood::bind
