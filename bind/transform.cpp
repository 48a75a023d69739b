// bind/transform.cpp: forests from forests.
#include "forest/transform.hpp"

#include "bind.hpp"
#include "forest/gather.hpp"
#include "forest/ngram_keys.hpp"
#include "forest/validate.hpp"
#include "forest/word_numbers.hpp"

namespace rosewood::bind {

namespace {

using Arrays = std::tuple<Array<Offset>, Array<NodeId>, Array<Offset>, Array<NodeId>,
                          Array<std::int64_t>, Array<NodeId>>;

Arrays give(Structure&& s) {
  return {to_numpy(std::move(s.edge_start)), to_numpy(std::move(s.head)),
          to_numpy(std::move(s.tail_start)), to_numpy(std::move(s.tail)),
          to_numpy(std::move(s.edge_map)),   to_numpy(std::move(s.node_map))};
}

template <class T>
std::pair<Array<Offset>, Array<T>> gather(In<Offset> start, In<T> item, In<std::int64_t> row) {
  std::vector<Offset> new_start;
  std::vector<T> new_item;
  {
    nb::gil_scoped_release release;
    gather_rows(Rows<T>{span_of(start), span_of(item)}, span_of(row), new_start, new_item);
  }
  return {to_numpy(std::move(new_start)), to_numpy(std::move(new_item))};
}

}  // namespace

void bind_transform(nb::module_& m) {
  m.def(
      "number_words",
      [](In<SymbolId> symbols) {
        std::vector<SymbolId> numbered(symbols.size());
        auto used = number_words(span_of(symbols), numbered);
        return std::pair(to_numpy(std::move(used)), to_numpy(std::move(numbered)));
      },
      "symbols"_a.noconvert(),
      "The words among symbols, ascending, and the symbols with words by their places there.");
  m.def("gather_ids", &gather<std::int32_t>, "start"_a.noconvert(), "item"_a.noconvert(),
        "row"_a.noconvert(), "The given rows, in order; -1 stands for an empty row.");
  m.def("gather_values", &gather<double>, "start"_a.noconvert(), "item"_a.noconvert(),
        "row"_a.noconvert(), "The given rows, in order; -1 stands for an empty row.");
  m.def(
      "select_edges",
      [](const ForestHandle& f, In<std::uint8_t> keep) {
        check_size("keep", keep.size(), f.edges());
        Structure made;
        {
          nb::gil_scoped_release release;
          made = select_edges(f.view, span_of(keep));
        }
        return give(std::move(made));
      },
      "forest"_a, "keep"_a.noconvert(),
      "(edge_start, head, tail_start, tail, edge_map, node_map) of what is left.");
  m.def(
      "topological_sort",
      [](std::int64_t nodes, In<NodeId> head, In<Offset> tail_start, In<NodeId> tail, NodeId root) {
        Structure made;
        {
          nb::gil_scoped_release release;
          made = topological_sort(nodes, span_of(head), span_of(tail_start), span_of(tail), root);
        }
        return give(std::move(made));
      },
      "nodes"_a, "head"_a.noconvert(), "tail_start"_a.noconvert(), "tail"_a.noconvert(), "root"_a);
  m.def(
      "share_equal_parts",
      [](const ForestHandle& f, In<Offset> yield_start, In<SymbolId> yield_symbol,
         const FeatureHandle& features, In<std::int64_t> rule, In<std::int64_t> label) {
        check_size("yield_start", yield_start.size(), f.edges() + 1);
        check_size("features", features.start.size(), f.edges() + 1);
        if (rule.size() != 0) check_size("rule", rule.size(), f.edges());
        check_size("label", label.size(), f.nodes());
        Structure made;
        {
          nb::gil_scoped_release release;
          made = share_equal_parts(f.view, YieldView{span_of(yield_start), span_of(yield_symbol)},
                                   features.view, span_of(rule), span_of(label));
        }
        return give(std::move(made));
      },
      "forest"_a, "yield_start"_a.noconvert(), "yield_symbol"_a.noconvert(), "features"_a,
      "rule"_a.noconvert(), "label"_a.noconvert());
  m.def(
      "find_ngrams",
      [](In<Offset> start, In<SymbolId> word, In<std::int64_t> id, In<std::int64_t> keys,
         std::int64_t base, std::size_t order) {
        const auto rows = static_cast<std::int64_t>(start.size()) - 1;
        check_offsets("start", span_of(start), rows, static_cast<std::int64_t>(word.size()));
        for (const SymbolId w : span_of(word))
          if (w < 0 || static_cast<std::size_t>(w) >= id.size())
            fail<ForestError>({"argument.range", "word", w}, "word ", w, " has no id");
        std::vector<std::int64_t> place(static_cast<std::size_t>(rows));
        {
          nb::gil_scoped_release release;
          find_ngrams({{span_of(start), span_of(word)}, span_of(id)}, span_of(keys), base, order,
                      place);
        }
        return to_numpy(std::move(place));
      },
      "start"_a.noconvert(), "word"_a.noconvert(), "id"_a.noconvert(), "keys"_a.noconvert(),
      "base"_a, "order"_a,
      "The place of each n-gram among ascending keys; -1: it is none of them.");
  m.def(
      "refine",
      [](const ForestHandle& f, In<Offset> yield_start, In<SymbolId> yield_symbol, int n,
         SymbolId begin, SymbolId end, std::int64_t max_edges) {
        Refined made;
        {
          nb::gil_scoped_release release;
          made = refine(f.view, YieldView{span_of(yield_start), span_of(yield_symbol)}, n, begin,
                        end, max_edges);
        }
        return std::tuple{
            give(std::move(made.structure)),           to_numpy(std::move(made.state_start)),
            to_numpy(std::move(made.state_word)),      to_numpy(std::move(made.state_whole)),
            to_numpy(std::move(made.gram_start)),      to_numpy(std::move(made.gram)),
            to_numpy(std::move(made.gram_word_start)), to_numpy(std::move(made.gram_word))};
      },
      "forest"_a, "yield_start"_a.noconvert(), "yield_symbol"_a.noconvert(), "n"_a, "begin"_a,
      "end"_a, "max_edges"_a);
  m.def(
      "check_automaton",
      [](In<Offset> arc_start, In<SymbolId> symbol, In<std::int32_t> next, In<double> weight,
         In<double> final_weight, std::int32_t initial) {
        check_automaton({span_of(arc_start), span_of(symbol), span_of(next), span_of(weight),
                         span_of(final_weight), initial});
      },
      "arc_start"_a.noconvert(), "symbol"_a.noconvert(), "next"_a.noconvert(),
      "weight"_a.noconvert(), "final_weight"_a.noconvert(), "initial"_a);
  m.def(
      "intersect",
      [](const ForestHandle& f, In<Offset> yield_start, In<SymbolId> yield_symbol,
         In<Offset> arc_start, In<SymbolId> symbol, In<std::int32_t> next, In<double> weight,
         In<double> final_weight, std::int32_t initial, std::int64_t max_edges) {
        const AutomatonView a{span_of(arc_start), span_of(symbol),       span_of(next),
                              span_of(weight),    span_of(final_weight), initial};
        Intersection made;
        {
          nb::gil_scoped_release release;
          made = intersect(f.view, YieldView{span_of(yield_start), span_of(yield_symbol)}, a,
                           max_edges);
        }
        return std::pair{give(std::move(made.structure)), to_numpy(std::move(made.weight))};
      },
      "forest"_a, "yield_start"_a.noconvert(), "yield_symbol"_a.noconvert(),
      "arc_start"_a.noconvert(), "symbol"_a.noconvert(), "next"_a.noconvert(),
      "weight"_a.noconvert(), "final_weight"_a.noconvert(), "initial"_a, "max_edges"_a);
}

}  // namespace rosewood::bind
