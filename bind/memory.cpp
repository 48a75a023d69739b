// bind/memory.cpp: fuzzy matches in a translation memory.
#include "bind.hpp"
#include "memory/fuzzy_index.hpp"

namespace rosewood::bind {

namespace {

/// The arrays of a memory, kept alive, and the index over them.
struct FuzzyHandle {
  In<std::uint8_t> words;
  In<std::int64_t> word_start;
  In<std::int32_t> ids;
  In<std::int64_t> id_start;
  In<std::int32_t> postings;
  In<std::int64_t> posting_start;
  FuzzyIndex index;

  FuzzyHandle(In<std::uint8_t> words, In<std::int64_t> word_start, In<std::int32_t> ids,
              In<std::int64_t> id_start, In<std::int32_t> postings, In<std::int64_t> posting_start)
      : words(words),
        word_start(word_start),
        ids(ids),
        id_start(id_start),
        postings(postings),
        posting_start(posting_start),
        index({span_of(words), span_of(word_start), span_of(ids), span_of(id_start),
               span_of(postings), span_of(posting_start)}) {}
};

using Row = std::tuple<std::int32_t, std::int32_t, double>;

}  // namespace

void bind_memory(nb::module_& m) {
  nb::class_<FuzzyHandle>(m, "FuzzyIndex", "Sentences of a translation memory by likeness.")
      .def(nb::init<In<std::uint8_t>, In<std::int64_t>, In<std::int32_t>, In<std::int64_t>,
                    In<std::int32_t>, In<std::int64_t>>(),
           "words"_a.noconvert(), "word_start"_a.noconvert(), "ids"_a.noconvert(),
           "id_start"_a.noconvert(), "postings"_a.noconvert(), "posting_start"_a.noconvert())
      .def(
          "find",
          [](const FuzzyHandle& self, const std::vector<std::string>& words, double least,
             std::size_t most) {
            const std::vector<std::string_view> views(words.begin(), words.end());
            std::vector<Row> rows;
            for (const FuzzyHit& hit : self.index.find(views, least, most))
              rows.emplace_back(hit.row, hit.distance, hit.score());
            return rows;
          },
          "words"_a, "least"_a, "most"_a = 1, Release(),
          "Row, distance and score of up to `most` sentences, the best first.");
}

}  // namespace rosewood::bind
