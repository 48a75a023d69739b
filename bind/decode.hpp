// bind/decode.hpp: what decoders take from Python, and give back.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "decode/forest_writer.hpp"
#include "decode/options.hpp"

namespace rosewood::bind {

using Words = std::vector<std::string_view>;  // in strings of Python, which outlive the call
using Given = std::tuple<std::int32_t, std::int32_t, int, Words>;  // begin, end, kind, target

inline std::vector<GivenOption> given_of(const std::vector<Given>& all) {
  std::vector<GivenOption> made;
  for (const auto& [begin, end, kind, target] : all)
    made.push_back({begin, end, static_cast<GivenKind>(kind), target});
  return made;
}

/// Runs the handlers of pending signals: an exception from one of them ends the batch.
inline void check_signals() {
  nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

template <class T>
Array<T> copied(const std::vector<T>& values) {
  return to_numpy(std::vector<T>(values));
}

/// edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, best_edges.
inline auto taken(ForestArrays& forest) {
  return std::tuple(to_numpy(std::move(forest.edge_start)), to_numpy(std::move(forest.tail_start)),
                    to_numpy(std::move(forest.tail)), to_numpy(std::move(forest.dense)),
                    to_numpy(std::move(forest.yield_start)),
                    to_numpy(std::move(forest.yield_symbol)),
                    to_numpy(std::move(forest.edge_label)), to_numpy(std::move(forest.best_edges)));
}

void bind_hiero(nb::module_& m);

}  // namespace rosewood::bind
