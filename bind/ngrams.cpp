// bind/ngrams.cpp: back-off models in suffix order, which estimation and readers make and writers
// read.
#include "bind.hpp"
#include "lm/estimator.hpp"
#include "lm/table.hpp"

namespace rosewood::bind {

namespace {

template <class T>
Spool<T> spool_of(const In<T>& array) {
  Spool<T> spool;
  spool.append(span_of(array));
  return spool;
}

void check_order(const NgramTable& table, int n) {
  if (n < 1 || n > table.order())
    fail<LanguageModelError>({"argument.range", "n"}, "there is no order ", n,
                             " in a model of order ", table.order());
}

}  // namespace

void bind_ngrams(nb::module_& m) {
  // Weak references tell when the files of a table may go.
  nb::class_<NgramTable>(m, "NgramTable", nb::is_weak_referenceable(),
                         "The n-grams of a back-off model, in suffix order.")
      .def(nb::init<>())
      .def(
          "add_order",
          [](NgramTable& self, In<std::uint32_t> word, In<std::uint32_t> children,
             In<float> probability, In<float> backoff) {
            self.orders.push_back({spool_of<std::uint32_t>(word), spool_of<std::uint32_t>(children),
                                   spool_of<float>(probability), spool_of<float>(backoff)});
          },
          "word"_a.noconvert(), "children"_a.noconvert(), "probability"_a.noconvert(),
          "backoff"_a.noconvert(), "The n-grams of the next order; unchecked.")
      .def_prop_ro("order", &NgramTable::order)
      .def(
          "size",
          [](const NgramTable& self, int n) {
            check_order(self, n);
            return self.size(n);
          },
          "n"_a, "How many n-grams there are of an order.")
      .def(
          "columns",
          [](const NgramTable& self, int n) {
            check_order(self, n);
            const NgramOrder& each = self.orders[n - 1];
            return std::tuple(to_numpy(each.word.copied()), to_numpy(each.children.copied()),
                              to_numpy(each.probability.copied()), to_numpy(each.backoff.copied()));
          },
          "n"_a, "First words, numbers of children, probabilities and back-offs of an order.");
  nb::class_<NgramEstimator>(m, "NgramEstimator", "Text into a back-off model, step by step.")
      .def(
          "__init__",
          [](NgramEstimator* self, int order, std::uint64_t words,
             std::vector<std::uint64_t> cutoffs, std::string folder, std::uint64_t bytes,
             int threads) {
            new (self) NgramEstimator(order, words, std::move(cutoffs),
                                      {std::move(folder), bytes, threads});
          },
          "order"_a, "words"_a, "cutoffs"_a, "folder"_a, "bytes"_a, "threads"_a)
      .def("expect", &NgramEstimator::expect, "places"_a, Release(),
           "How many words and ends of sentences there will be.")
      .def(
          "add",
          [](NgramEstimator& self, In<std::uint32_t> text, In<std::int64_t> ends) {
            self.add(span_of(text), span_of(ends));
          },
          "text"_a.noconvert(), "ends"_a.noconvert(), Release(),
          "Sentences; the k-th ends before text[ends[k]].")
      .def("count", &NgramEstimator::count, Release(), "No more text: sorts and counts.")
      .def("sizes", &NgramEstimator::sizes,
           "For each order: n-grams, those that are not cut, those with count 1, 2, 3 and 4.")
      .def_prop_ro("is_in_memory", &NgramEstimator::is_in_memory)
      .def("go_on", &NgramEstimator::go_on, "sizes"_a, "done"_a,
           "Goes on from the files of another that had these sizes and orders done.")
      .def("smooth", &NgramEstimator::smooth, "n"_a, "discounts"_a, Release(),
           "Probabilities of an order; orders from 1 on.")
      .def("finish", &NgramEstimator::finish, Release(), "The model; no more can be asked.");
}

}  // namespace rosewood::bind
