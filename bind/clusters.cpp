// bind/clusters.cpp: word classes.
#include "corpus/clusters.hpp"

#include "bind.hpp"

namespace rosewood::bind {

void bind_clusters(nb::module_& m) {
  nb::class_<WordBigrams>(m, "WordBigrams", "How often words follow each other.")
      .def(
          "__init__",
          [](WordBigrams* self, In<std::int32_t> ids, In<std::int64_t> start,
             In<std::int32_t> number_of, std::int32_t words) {
            const nb::gil_scoped_release released;
            new (self) WordBigrams(span_of(ids), span_of(start), span_of(number_of), words);
          },
          "ids"_a.noconvert(), "start"_a.noconvert(), "number_of"_a.noconvert(), "words"_a,
          "Bigrams of sentences ids[start[k]:start[k+1]]; number_of[id] is the word, -1: left out.")
      .def_prop_ro("words", &WordBigrams::words)
      .def_prop_ro("total", &WordBigrams::total)
      .def_prop_ro("distinct", &WordBigrams::distinct);
  nb::class_<ClassExchange>(m, "ClassExchange", "Words in classes, and moves that raise F.")
      .def(
          "__init__",
          [](ClassExchange* self, const WordBigrams& bigrams, In<std::int32_t> class_of,
             std::int32_t classes) {
            const nb::gil_scoped_release released;
            new (self) ClassExchange(bigrams, span_of(class_of), classes);
          },
          "bigrams"_a, "class_of"_a.noconvert(), "classes"_a, nb::keep_alive<1, 2>(),
          "Classes 1 .. classes, one for each word.")
      .def("exchange", &ClassExchange::exchange, "begin"_a, "end"_a, "threads"_a, Release(),
           "Moves words begin .. end-1 to their best classes; returns how many have moved.")
      .def("anneal", &ClassExchange::anneal, "begin"_a, "end"_a, "heat"_a, "seed"_a, "threads"_a,
           Release(), "Moves words to classes drawn by exp(F / heat); returns how many have moved.")
      .def("objective", &ClassExchange::objective, Release(), "F in nats, from the counts.")
      .def_prop_ro("rounded_objective", &ClassExchange::rounded_objective,
                   "F in whole numbers, as moves have changed it.")
      .def("recomputed_objective", &ClassExchange::recomputed_objective, Release(),
           "F in whole numbers, from the counts.")
      .def(
          "class_of",
          [](const ClassExchange& self) {
            const auto found = self.class_of();
            return to_numpy(std::vector<std::int32_t>(found.begin(), found.end()));
          },
          "The class of each word.");
}

}  // namespace rosewood::bind
