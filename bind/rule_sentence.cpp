// bind/rule_sentence.cpp: what is found in one aligned sentence pair, and orientation events.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "rule_corpus.hpp"
#include "rules/events.hpp"
#include "rules/gaps.hpp"

namespace rosewood::bind {

namespace {

OrientationKind kind_of(const std::string& name) {
  if (name == "word") return OrientationKind::word;
  if (name == "phrase") return OrientationKind::phrase;
  if (name == "hierarchy") return OrientationKind::hierarchy;
  fail<RuleError>("argument.choice", "there is no kind of orientation ", name);
}

Direction direction_of(const std::string& name) {
  if (name == "backward") return Direction::backward;
  if (name == "forward") return Direction::forward;
  fail<RuleError>("argument.choice", "there is no direction ", name);
}

ClassScheme scheme_of(const std::string& name) {
  if (name == "msd") return ClassScheme::msd;
  if (name == "mslr") return ClassScheme::mslr;
  if (name == "distance") return ClassScheme::distance;
  fail<RuleError>("argument.choice", "there are no classes ", name);
}

/// Structures of numbers as rows of an array.
template <class Row>
nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<2>> rows_of(std::vector<Row>&& rows) {
  static_assert(std::is_standard_layout_v<Row> && sizeof(Row) % sizeof(std::int32_t) == 0);
  constexpr std::size_t width = sizeof(Row) / sizeof(std::int32_t);
  auto flat = std::make_unique<std::vector<std::int32_t>>(rows.size() * width);
  if (!rows.empty()) std::memcpy(flat->data(), rows.data(), rows.size() * sizeof(Row));
  auto* owner = flat.release();
  nb::capsule capsule(owner,
                      [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
  return {owner->data(), {rows.size(), width}, capsule};
}

/// One sentence pair, its arrays kept alive.
struct SentenceHandle {
  In<std::int32_t> source, target;
  AlignedSentence sentence;
  Orientations orientations;
  std::int32_t max_phrase = 0;  // for which the orientations are set
};

/// What is asked of a corpus, which is kept alive.
struct EventsHandle {
  const CorpusHandle* corpus;
  EventSettings settings;
};

}  // namespace

void bind_rule_sentence(nb::module_& m) {
  nb::class_<SentenceHandle>(m, "AlignedSentence", "One sentence pair and its links.")
      .def(
          "__init__",
          [](SentenceHandle* self, std::int32_t source_length, std::int32_t target_length,
             In<std::int32_t> source, In<std::int32_t> target) {
            const std::array<std::int64_t, 2> start{0, static_cast<std::int64_t>(source.size())};
            check_links({start, span_of(source), span_of(target)});
            const auto is_beyond = [](const In<std::int32_t>& places, std::int32_t length) {
              return std::ranges::any_of(span_of(places), [length](auto i) { return i >= length; });
            };
            if (source_length < 0 || target_length < 0 || is_beyond(source, source_length) ||
                is_beyond(target, target_length))
              fail<AlignmentError>({"argument.range", "links"},
                                   "a link is beyond the words of the sentence");
            new (self) SentenceHandle{source, target, {}, {}, 0};
            self->sentence.set(source_length, target_length, span_of(self->source),
                               span_of(self->target));
          },
          "source_length"_a, "target_length"_a, "source"_a, "target"_a)
      .def(
          "phrases",
          [](const SentenceHandle& self, std::int32_t max_source, std::int32_t max_target) {
            std::vector<Box> found;
            for_each_phrase(self.sentence, max_source, max_target,
                            [&](const Box& box) { found.push_back(box); });
            return rows_of(std::move(found));
          },
          "max_source"_a, "max_target"_a, "Rows of source begin and end, target begin and end.")
      .def(
          "gapped",
          [](const SentenceHandle& self, std::int32_t max_source, std::int32_t max_target,
             std::int32_t max_symbols, std::int32_t max_gaps, std::int32_t min_gap_source,
             std::int32_t min_gap_target, bool allow_adjacent, bool need_link, bool tight,
             bool tight_gaps, bool whole_counts) {
            std::vector<GappedRule> found;
            for_each_gapped(
                self.sentence,
                {max_source, max_target, max_symbols, max_gaps, min_gap_source, min_gap_target,
                 allow_adjacent, need_link, tight, tight_gaps, whole_counts},
                [&](const GappedRule& rule) { found.push_back(rule); });
            return rows_of(std::move(found));
          },
          "max_source"_a = 10, "max_target"_a = 10, "max_symbols"_a = 5, "max_gaps"_a = 2,
          "min_gap_source"_a = 1, "min_gap_target"_a = 1, "allow_adjacent"_a = false,
          "need_link"_a = true, "tight"_a = true, "tight_gaps"_a = false, "whole_counts"_a = false,
          "Rows of a phrase pair, the number of its gaps, two gaps, and the share of the "
          "phrase pair that each counts, as 1 / share.")
      .def(
          "orientation",
          [](SentenceHandle& self, const std::string& kind, const std::string& direction,
             std::int32_t max_phrase, const std::array<std::int32_t, 4>& box) {
            if (max_phrase < 1)
              fail<RuleError>({"argument.range", "max_phrase"}, "max_phrase is ", max_phrase,
                              ", expected at least 1");
            if (self.max_phrase != max_phrase) self.orientations.set(self.sentence, max_phrase);
            self.max_phrase = max_phrase;
            return static_cast<int>(self.orientations.of(direction_of(direction), kind_of(kind),
                                                         {box[0], box[1], box[2], box[3]}));
          },
          "kind"_a, "direction"_a, "max_phrase"_a, "box"_a, "0 monotone, 1 swap, 2 left, 3 right.");
  nb::class_<EventsHandle>(m, "OrientationEvents", "What is asked of an aligned corpus.")
      .def(
          "__init__",
          [](EventsHandle* self, const CorpusHandle& corpus, const std::string& kind,
             const std::vector<std::string>& directions, const std::string& classes,
             std::int32_t max_phrase) {
            if (max_phrase < 1)
              fail<RuleError>({"argument.range", "max_phrase"}, "max_phrase is ", max_phrase,
                              ", expected at least 1");
            std::vector<Direction> ways;
            for (const std::string& each : directions) ways.push_back(direction_of(each));
            new (self) EventsHandle{
                &corpus, {kind_of(kind), std::move(ways), scheme_of(classes), max_phrase}};
          },
          "corpus"_a, "kind"_a, "directions"_a, "classes"_a, "max_phrase"_a, nb::keep_alive<1, 2>())
      .def(
          "block",
          [](const EventsHandle& self, std::int64_t begin, std::int64_t end, int threads) {
            EventArrays made;
            {
              nb::gil_scoped_release release;
              made = orientation_events(self.corpus->corpus, self.settings, begin, end, threads);
            }
            std::vector<Array<std::uint8_t>> orientation;
            for (auto& each : made.orientation) orientation.push_back(to_numpy(std::move(each)));
            return std::tuple(
                to_numpy(std::move(made.sentence)), to_numpy(std::move(made.source_begin)),
                to_numpy(std::move(made.source_end)), to_numpy(std::move(made.target_begin)),
                to_numpy(std::move(made.target_end)), std::move(orientation),
                to_numpy(std::move(made.pair_start)), to_numpy(std::move(made.pair_source)),
                to_numpy(std::move(made.pair_target)), to_numpy(std::move(made.left)),
                to_numpy(std::move(made.right)));
          },
          "begin"_a, "end"_a, "threads"_a, "The arrays of the events of some sentences.");
}

}  // namespace rosewood::bind
