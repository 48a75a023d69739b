// core/decode/search_report.hpp: how a search went. No Python here.
#pragma once

#include <cstdint>

namespace rosewood {

struct SearchReport {
  std::uint64_t pops = 0;
  bool is_narrowed = false;  // max_pops left parts of the search less than they should have had
  bool is_timed_out = false;
  bool is_reachable = true;  // there is a translation; always, unless a reference is given
};

}  // namespace rosewood
