// bind/links.cpp: word alignments: checks, text, symmetrisation.
#include "align/symmetrize.hpp"
#include "bind.hpp"
#include "text.hpp"

namespace rosewood::bind {

namespace {

/// The arrays of checked links, kept alive, and the view kernels take.
struct LinksHandle {
  In<std::int64_t> start;
  In<std::int32_t> source, target;
  LinksView view;
};

using Arrays = std::tuple<Array<std::int64_t>, Array<std::int32_t>, Array<std::int32_t>>;

Arrays arrays_of(LinksArrays& links) {
  return {to_numpy(std::move(links.start)), to_numpy(std::move(links.source)),
          to_numpy(std::move(links.target))};
}

Symmetrization method_of(const std::string& name) {
  if (name == "intersection") return Symmetrization::intersection;
  if (name == "union") return Symmetrization::join;
  if (name == "grow-diag") return Symmetrization::grow_diag;
  if (name == "grow-diag-final") return Symmetrization::grow_diag_final;
  if (name == "grow-diag-final-and") return Symmetrization::grow_diag_final_and;
  fail<AlignmentError>("argument.choice", "there is no symmetrisation ", name);
}

Order order_of(const std::string& name) {
  if (name == "symal") return Order::symal;
  if (name == "atools") return Order::atools;
  fail<AlignmentError>("argument.choice", "there is no order ", name);
}

}  // namespace

void bind_links(nb::module_& m) {
  nb::class_<LinksHandle>(m, "LinksView", "Links of many sentences, checked.")
      .def(
          "__init__",
          [](LinksHandle* self, In<std::int64_t> start, In<std::int32_t> source,
             In<std::int32_t> target) {
            const LinksView view{span_of(start), span_of(source), span_of(target)};
            check_links(view);
            new (self) LinksHandle{start, source, target, view};
          },
          "start"_a.noconvert(), "source"_a.noconvert(), "target"_a.noconvert());
  m.def(
      "links_from_choices",
      [](In<std::int32_t> choice, In<std::int64_t> start, bool chose_sources) {
        const auto offset = span_of(start);
        bool is_good = !offset.empty() && offset[0] == 0 &&
                       offset.back() == static_cast<std::int64_t>(choice.size());
        for (std::size_t k = 1; is_good && k < offset.size(); ++k)
          is_good = offset[k] >= offset[k - 1];
        if (!is_good)
          fail<AlignmentError>({"argument.shape", "start"}, "start does not fit ", choice.size(),
                               " choices");
        LinksArrays made;
        {
          nb::gil_scoped_release release;
          made = links_from_choices(span_of(choice), offset, chose_sources);
        }
        return arrays_of(made);
      },
      "choice"_a, "start"_a, "chose_sources"_a);
  m.def(
      "symmetrize",
      [](const LinksHandle& forward, const LinksHandle& backward, const std::string& method,
         const std::string& order, int threads) {
        LinksArrays made;
        {
          nb::gil_scoped_release release;
          made =
              symmetrize(forward.view, backward.view, method_of(method), order_of(order), threads);
        }
        return arrays_of(made);
      },
      "forward"_a, "backward"_a, "method"_a, "order"_a, "threads"_a,
      "start, source and target of the links that two alignments make.");
  m.def(
      "parse_links",
      [](In<std::uint8_t> lines, std::int64_t first_line, std::int32_t base, bool may_be_possible) {
        LinksArrays made;
        std::optional<BadLine> bad;
        {
          nb::gil_scoped_release release;
          bad = parse_links({reinterpret_cast<const char*>(lines.data()), lines.size()}, first_line,
                            base, may_be_possible, made);
        }
        auto possible = to_numpy(std::move(made.possible));
        return std::tuple(arrays_of(made), possible, told(std::move(bad)));
      },
      "lines"_a.noconvert(), "first_line"_a, "base"_a, "may_be_possible"_a,
      "Arrays of the links of whole lines, which are possible ones, and the first bad line.");
  m.def(
      "format_links",
      [](const LinksHandle& links, In<std::uint8_t> possible, std::int64_t begin,
         std::int64_t end) {
        const std::string text = format_links(links.view, span_of(possible), begin, end);
        return nb::bytes(text.data(), text.size());
      },
      "links"_a, "possible"_a.noconvert(), "begin"_a, "end"_a,
      "Some sentences as lines; `possible` marks links, or is empty.");
}

}  // namespace rosewood::bind
