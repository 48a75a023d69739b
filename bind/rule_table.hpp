// bind/rule_table.hpp: rule tables as Python holds them: what several binding files take.
#pragma once

#include <nanobind/stl/map.h>

#include "bind.hpp"
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
