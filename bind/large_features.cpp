// bind/large_features.cpp: morphemes of words, and the large feature set of rules.
#include "large_features.hpp"

namespace rosewood::bind {

namespace {

using Texts = std::vector<std::string_view>;
// Top words, words with a class, their classes, number of classes, segmenter.
using Side = std::tuple<Texts, Texts, In<std::int32_t>, std::int32_t, nb::object>;

LargeFeatureSide side_of(const Side& side, std::vector<nb::object>& kept) {
  const auto& [top, words, classes, num_classes, segmenter] = side;
  if (words.size() != classes.size())
    fail<DecodingError>({"argument.shape", "classes", classes.size()}, "there are ", classes.size(),
                        " classes for ", words.size(), " words");
  LargeFeatureSide made;
  for (const std::string_view word : top)
    made.top.emplace(word, static_cast<std::int32_t>(made.top.size()));
  made.classes.reserve(words.size());
  for (std::size_t n = 0; n < words.size(); ++n) made.classes.emplace(words[n], classes.data()[n]);
  made.num_classes = num_classes;
  made.segmenter = &nb::cast<const Segmenter&>(segmenter);
  kept.push_back(segmenter);
  return made;
}

void bind_segmenter(nb::module_& m) {
  nb::class_<Segmenter>(m, "Segmenter", "Words into morphemes.")
      .def(nb::init<std::vector<std::string>, std::vector<std::int64_t>>(), "morphemes"_a,
           "counts"_a)
      .def_static(
          "learn",
          [](const Texts& words, In<std::int64_t> counts, int rounds) {
            const nb::gil_scoped_release released;
            return Segmenter::learn(words, span_of(counts), rounds);
          },
          "words"_a, "counts"_a.noconvert(), "rounds"_a,
          "Learns morphemes from distinct words and how often they occur.")
      .def("__len__", &Segmenter::size)
      .def_prop_ro("morphemes",
                   [](const Segmenter& self) {
                     const auto all = self.morphemes();
                     return std::vector<std::string>(all.begin(), all.end());
                   })
      .def_prop_ro("counts",
                   [](const Segmenter& self) {
                     const auto all = self.counts();
                     return std::vector<std::int64_t>(all.begin(), all.end());
                   })
      .def(
          "segment",
          [](const Segmenter& self, std::string_view word) {
            std::vector<Segmenter::Piece> pieces;
            self.segment(word, pieces);
            std::vector<std::pair<std::string, std::int32_t>> found;
            for (const auto& [begin, end, number] : pieces)
              found.emplace_back(word.substr(begin, end - begin), number);
            return found;
          },
          "word"_a, "Texts and numbers of the morphemes of a word; -1: an unknown character.")
      .def(
          "numbers",
          [](const Segmenter& self, const Texts& words) {
            Segmenter::Numbers found = self.numbers(words);
            return std::pair(to_numpy(std::move(found.number)), to_numpy(std::move(found.start)));
          },
          "words"_a,
          "Numbers of the morphemes of words, one word after the other, and where each begins.");
}

}  // namespace

void bind_large_features(nb::module_& m) {
  bind_segmenter(m);
  nb::class_<LargeFeaturesHandle>(m, "LargeFeatures", "The large feature set of rules.")
      .def(
          "__init__",
          [](LargeFeaturesHandle* self, const Side& source, const Side& target,
             const std::vector<std::pair<std::int32_t, std::int32_t>>& class_pairs,
             In<std::int32_t> link_source, In<std::int32_t> link_target,
             In<std::int64_t> link_count) {
            std::vector<nb::object> kept;
            auto one = side_of(source, kept);
            auto other = side_of(target, kept);
            LargeFeatures made(std::move(one), std::move(other), class_pairs,
                               {span_of(link_source), span_of(link_target), span_of(link_count)});
            new (self) LargeFeaturesHandle{std::move(kept), std::move(made)};
          },
          "source"_a, "target"_a, "class_pairs"_a, "link_source"_a.noconvert(),
          "link_target"_a.noconvert(), "link_count"_a.noconvert(),
          "Sides are (top words, words, their classes, number of classes, segmenter).")
      .def("__len__", [](const LargeFeaturesHandle& self) { return self.features.columns(); });
}

}  // namespace rosewood::bind
