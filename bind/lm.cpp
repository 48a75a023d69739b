// bind/lm.cpp: language models in mapped files: writing and asking them.
#include "lm.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string_view.h>

#include <memory>

#include "bind.hpp"
#include "lm/writer.hpp"
#include "text.hpp"

namespace rosewood::bind {

namespace {

using Ids = std::vector<std::uint32_t>;

/// A writer and what it reads from.
struct ModelWriterHandle {
  Bytes word_bytes;
  In<std::int64_t> word_start;
  ModelWriter writer;
};

std::span<const std::uint8_t> bytes_of(const In<std::int64_t>& array) {
  return {reinterpret_cast<const std::uint8_t*>(array.data()), array.size() * 8};
}

auto told(WordScores&& all) {
  return std::tuple(to_numpy(std::move(all.start)), to_numpy(std::move(all.score)),
                    to_numpy(std::move(all.length)), to_numpy(std::move(all.word)));
}

void bind_writer(nb::module_& m) {
  nb::class_<ModelWriterHandle>(m, "ModelWriter", "Writes the parts of a language model's file.")
      .def(
          "__init__",
          [](ModelWriterHandle* self, const NgramTable& table, Bytes word_bytes,
             In<std::int64_t> word_start, bool is_small, int bits, std::uint64_t seed,
             std::string folder, std::size_t max_memory, int threads) {
            new (self) ModelWriterHandle{
                word_bytes, word_start,
                ModelWriter(table, span_of(word_bytes), bytes_of(word_start),
                            {is_small, bits, seed, {}}, {std::move(folder), max_memory, threads})};
          },
          "table"_a, "word_bytes"_a.noconvert(), "word_start"_a.noconvert(), "is_small"_a, "bits"_a,
          "seed"_a, "folder"_a, "max_memory"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("parts", [](const ModelWriterHandle& self) { return self.writer.parts(); })
      .def(
          "write",
          [](ModelWriterHandle& self, const std::string& part,
             nb::typed<nb::callable, nb::object(nb::bytes)> take) {
            Sink sink([&](std::span<const std::uint8_t> piece) {
              nb::gil_scoped_acquire held;
              take(nb::bytes(piece.data(), piece.size()));
            });
            nb::gil_scoped_release released;
            return self.writer.write(part, sink);
          },
          "part"_a, "take"_a,
          "Gives the bytes of a part to `take`, piece by piece; false if another seed is needed.");
}

}  // namespace

void bind_lm(nb::module_& m) {
  bind_writer(m);
  nb::class_<LanguageModelHandle>(m, "LanguageModel", "A language model in a mapped file.")
      .def(
          "__init__",
          [](LanguageModelHandle* self, Bytes file, const Places& places, bool is_small, int bits,
             std::uint64_t seed, std::vector<std::uint64_t> counts) {
            new (self) LanguageModelHandle{
                file, LanguageModel(span_of(file), places,
                                    ModelShape{is_small, bits, seed, std::move(counts)})};
          },
          "file"_a.noconvert(), "places"_a, "is_small"_a, "bits"_a, "seed"_a, "counts"_a)
      .def(
          "find_word",
          [](const LanguageModelHandle& self, std::string_view word) {
            return self.model.vocabulary().find(Piece(word));
          },
          "word"_a, "The number of a word, or that of the unknown word.")
      .def(
          "score",
          [](const LanguageModelHandle& self, Bytes text, std::uint64_t count, bool begin, bool end,
             std::uint64_t first_number, int threads, Out<double> out) {
            self.model.score(SentenceText(text_of(text), count), {begin, end}, first_number,
                             threads, span_of(out));
          },
          "text"_a.noconvert(), "count"_a, "begin"_a, "end"_a, "first_number"_a, "threads"_a,
          "out"_a.noconvert(), Release(), "log10 probability of each line of a text.")
      .def(
          "score_words",
          [](const LanguageModelHandle& self, Bytes text, std::uint64_t count, bool begin, bool end,
             std::uint64_t first_number, int threads) {
            WordScores all;
            {
              nb::gil_scoped_release released;
              all = self.model.score_words(SentenceText(text_of(text), count), {begin, end},
                                           first_number, threads);
            }
            return told(std::move(all));
          },
          "text"_a.noconvert(), "count"_a, "begin"_a, "end"_a, "first_number"_a, "threads"_a,
          "Where lines begin among all words, then score, n-gram length and number of each word.")
      .def(
          "score_one",
          [](const LanguageModelHandle& self, std::string_view sentence, bool begin, bool end) {
            return self.model.score(sentence, {begin, end});
          },
          "sentence"_a, "begin"_a, "end"_a, Release(), "log10 probability of a sentence.")
      .def(
          "score_words_of_one",
          [](const LanguageModelHandle& self, std::string_view sentence, bool begin, bool end) {
            WordScores all = self.model.score_words(sentence, {begin, end});
            return std::tuple(std::move(all.score), std::move(all.length), std::move(all.word));
          },
          "sentence"_a, "begin"_a, "end"_a, "Score, n-gram length and number of each word.")
      .def(
          "state",
          [](const LanguageModelHandle& self, const Ids& context) {
            return self.model.state(context);
          },
          "context"_a, "What matters of a context, the latest word last.")
      .def(
          "advance",
          [](const LanguageModelHandle& self, const Ids& context, std::uint32_t word) {
            auto [score, state] = self.model.advance(context, word);
            return std::tuple(score.score, score.length, std::move(state));
          },
          "context"_a, "word"_a, "Score and n-gram length of a word, and the state after it.")
      .def(
          "score_chart",
          [](const LanguageModelHandle& self, const std::vector<std::int64_t>& symbols,
             const std::vector<Ids>& parts,
             bool begins) { return self.model.score_chart(symbols, parts, begins); },
          "symbols"_a, "parts"_a, "begins"_a,
          "Score and state of a part of a sentence: words, and -1-k for parts[k].")
      .def(
          "score_all",
          [](const LanguageModelHandle& self, const Ids& context, Out<double> out) {
            nb::gil_scoped_release released;
            self.model.score_all(context, span_of(out));
          },
          "context"_a, "out"_a.noconvert(), "log10 probability of every word.")
      .def(
          "sample",
          [](const LanguageModelHandle& self, std::uint64_t count, std::uint64_t seed,
             std::uint64_t max_words, const Ids& context, int threads) {
            WordLists all;
            {
              nb::gil_scoped_release released;
              all = self.model.sample(count, seed, max_words, context, threads);
            }
            return std::pair(to_numpy(std::move(all.start)), to_numpy(std::move(all.word)));
          },
          "count"_a, "seed"_a, "max_words"_a, "context"_a, "threads"_a,
          "Where texts begin among all words, then the number of each word.")
      .def(
          "table", [](const LanguageModelHandle& self) { return self.model.table(); }, Release(),
          "The n-grams of a model of the small layout.")
      .def(
          "check", [](const LanguageModelHandle& self) { self.model.check(); }, Release(),
          "Reads everything; refuses what no writer wrote.");
}

}  // namespace rosewood::bind
