// bind/arpa.cpp: ARPA files read into tables of n-grams, and written.
#include "lm/arpa_reader.hpp"
#include "lm/arpa_writer.hpp"
#include "text.hpp"

namespace rosewood::bind {

void bind_arpa(nb::module_& m) {
  nb::class_<ArpaReader>(m, "ArpaReader", "Reads an ARPA file, block by block.")
      .def(
          "__init__",
          [](ArpaReader* self, std::string folder, std::size_t bytes, int threads,
             std::int64_t max_bytes) {
            new (self) ArpaReader({std::move(folder), bytes, threads}, max_bytes);
          },
          "folder"_a, "bytes"_a, "threads"_a, "max_bytes"_a,
          "What does not fit into so many bytes of memory goes to files in the folder.")
      .def(
          "feed", [](ArpaReader& self, Bytes block) { return told(self.feed(text_of(block))); },
          "block"_a.noconvert(), Release(),
          "Takes the next bytes; line and reason of the first bad line, if there is one.")
      .def(
          "finish", [](ArpaReader& self) { return told(self.finish()); }, Release(),
          "The file has ended: puts the table together.")
      .def("take_table", &ArpaReader::take_table, "The table, once.")
      .def(
          "word_bytes", [](const ArpaReader& self) { return word_bytes(self.words()); },
          "All words, one behind the other.")
      .def(
          "word_start", [](const ArpaReader& self) { return word_start(self.words()); },
          "Where each word begins in the bytes, and where the last one ends.")
      .def_prop_ro("counts", &ArpaReader::counts, "How many n-grams the file has of each order.")
      .def_prop_ro("added", &ArpaReader::added,
                   "How many more were needed, so that every prefix and suffix is there.")
      .def_prop_ro("missing", &ArpaReader::missing,
                   "Which of <unk>, <s> and </s> it does not have.")
      .def_prop_ro(
          "infinite", [](const ArpaReader& self) { return self.repairs().infinite; },
          "How many numbers were -inf, and are -99 now.")
      .def_prop_ro(
          "positive", [](const ArpaReader& self) { return self.repairs().positive; },
          "How many log probabilities were a little more than 0, and are 0 now.");

  nb::class_<ArpaWriter>(m, "ArpaWriter", "Writes a table as an ARPA file, block by block.")
      .def(
          "__init__",
          [](ArpaWriter* self, const NgramTable& table, Bytes word_bytes,
             In<std::int64_t> word_start, int threads) {
            new (self) ArpaWriter(table, span_of(word_bytes), span_of(word_start), threads);
          },
          "table"_a, "word_bytes"_a.noconvert(), "word_start"_a.noconvert(), "threads"_a,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("next", &next_block<ArpaWriter>, "The next bytes of the file; none behind the last.");
}

}  // namespace rosewood::bind
