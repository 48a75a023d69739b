// bind/corpus.cpp: text into word numbers.
#include "text.hpp"

namespace rosewood::bind {

void bind_corpus(nb::module_& m) {
  nb::class_<Indexer>(m, "Indexer", "Turns text into word numbers, block by block.")
      .def(nb::init<std::int64_t, std::int64_t, bool>(), "max_words"_a, "max_bytes"_a,
           "skip_bad"_a = false)
      .def("forbid", &Indexer::forbid, "first"_a, "last"_a,
           "Known words from first to last may not stand in the text.")
      .def("next_text", &Indexer::next_text, "Another text follows: its lines are counted anew.")
      .def_prop_ro("skipped", &Indexer::skipped)
      .def_prop_ro("examples", &Indexer::examples, nb::rv_policy::copy,
                   "Lines and reasons of the first that were skipped.")
      .def(
          "know", [](Indexer& self, Bytes lines) { self.know(text_of(lines)); },
          "lines"_a.noconvert(), Release(), "Gives these words, one a line, the first numbers.")
      .def(
          "feed", [](Indexer& self, Bytes block) { return told(self.feed(text_of(block))); },
          "block"_a.noconvert(), Release(),
          "Takes the next bytes; line and reason of the first bad line, if there is one.")
      .def(
          "finish", [](Indexer& self) { return told(self.finish()); }, Release(),
          "The text has ended: what stands behind its last line feed is a line.")
      .def(
          "take_ids", [](Indexer& self) { return to_numpy(self.take_ids()); },
          "Word numbers since the last time.")
      .def(
          "take_ends", [](Indexer& self) { return to_numpy(self.take_ends()); },
          "Where lines end among all word numbers, for the lines since the last time.")
      .def_prop_ro("lines", &Indexer::lines)
      .def(
          "word_bytes", [](const Indexer& self) { return word_bytes(self.table()); },
          "All words, one behind the other.")
      .def(
          "word_start", [](const Indexer& self) { return word_start(self.table()); },
          "Where each word begins in the bytes, and where the last one ends.");
}

}  // namespace rosewood::bind
