// bind/bind.hpp: what the binding files share: array types, and spans over them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <utility>
#include <vector>

#include "forest/features.hpp"
#include "forest/view.hpp"
#include "util/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rosewood::bind {

/// A C-contiguous array to read. Arrays of another type are refused, never copied.
template <class T>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
/// A C-contiguous array of any shape to write.
template <class T>
using Out = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu>;
/// An array that the caller receives, read-only: it may become part of a forest.
template <class T>
using Array = nb::ndarray<const T, nb::numpy, nb::ndim<1>>;

template <class T, class... Args>
std::span<const T> span_of(const nb::ndarray<const T, Args...>& array) {
  return {array.data(), array.size()};
}
template <class T, class... Args>
std::span<T> span_of(const nb::ndarray<T, Args...>& array) {
  return {array.data(), array.size()};
}

/// A vector becomes a NumPy array without a copy.
template <class T>
Array<T> to_numpy(std::vector<T>&& vector) {
  auto* owner = new std::vector<T>(std::move(vector));
  nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(owner->data(), {owner->size()}, capsule);
}

/// Refuses an array that is not `want` long.
inline void check_size(const char* what, std::size_t have, std::size_t want) {
  if (have != want)
    fail<ForestError>({"argument.shape", what, have}, what, " has ", have, " entries, not ", want);
}

/// The arrays of a forest, kept alive, and the view kernels take.
struct ForestHandle {
  In<Offset> edge_start;
  In<NodeId> head;
  In<Offset> tail_start;
  In<NodeId> tail;
  ForestView view;

  std::size_t nodes() const { return static_cast<std::size_t>(view.num_nodes()); }
  std::size_t edges() const { return static_cast<std::size_t>(view.num_edges()); }
};

struct FeatureHandle {
  In2<double> dense;
  In<Offset> start;
  In<FeatureId> id;
  In<double> value;
  std::int64_t sparse_features;
  FeatureView view;
};

using Release = nb::call_guard<nb::gil_scoped_release>;

void bind_align(nb::module_& m);
void bind_arpa(nb::module_& m);
void bind_boosting(nb::module_& m);
void bind_clusters(nb::module_& m);
void bind_corpus(nb::module_& m);
void bind_decode(nb::module_& m);
void bind_event_features(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_forest_writer(nb::module_& m);
void bind_large_features(nb::module_& m);
void bind_learn(nb::module_& m);
void bind_links(nb::module_& m);
void bind_lm(nb::module_& m);
void bind_memory(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_ngrams(nb::module_& m);
void bind_oscar(nb::module_& m);
void bind_reorder(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_rule_table(nb::module_& m);
void bind_rule_sentence(nb::module_& m);
void bind_rule_text(nb::module_& m);
void bind_search(nb::module_& m);
void bind_transform(nb::module_& m);

}  // namespace rosewood::bind
