// bind/rules.cpp: an aligned corpus to counted and scored rules.
#include <array>
#include <memory>

#include "rule_corpus.hpp"
#include "rule_table.hpp"
#include "rules/instances.hpp"
#include "rules/leave_one_out.hpp"
#include "rules/lexical.hpp"
#include "rules/pairs.hpp"
#include "rules/ranks.hpp"
#include "rules/scores.hpp"
#include "rules/significance.hpp"

namespace rosewood::bind {

namespace {

struct CollectorHandle {
  In<std::uint32_t> source_ranks, target_ranks;
  std::unique_ptr<InstanceCollector> collector;
  std::unique_ptr<PairWriter> writer;  // once all instances are there
};

struct IndexHandle {
  In<std::uint32_t> ranks, places;
  In<std::uint8_t> shared;
  PhraseIndex index;
};

struct ScorerHandle {
  std::unique_ptr<RuleScorer> scorer;
};

template <class T>
std::vector<T> listed(const auto& array) {
  return {array.begin(), array.end()};
}

void bind_corpus_of_rules(nb::module_& m) {
  nb::class_<CorpusHandle>(m, "AlignedCorpus", "Sentence pairs and their links, checked.")
      .def(
          "__init__",
          [](CorpusHandle* self, In<std::int32_t> source, In<std::int64_t> source_start,
             In<std::int32_t> target, In<std::int64_t> target_start, In<std::int64_t> link_start,
             In<std::int32_t> link_source, In<std::int32_t> link_target, std::int64_t source_words,
             std::int64_t target_words) {
            const AlignedCorpus corpus{
                {span_of(source), span_of(source_start)},
                {span_of(target), span_of(target_start)},
                {span_of(link_start), span_of(link_source), span_of(link_target)}};
            {
              nb::gil_scoped_release released;
              check_links(corpus.links);
              check_corpus(corpus, source_words, target_words);
            }
            new (self)
                CorpusHandle{source,      target,      source_start, target_start, link_start,
                             link_source, link_target, source_words, target_words, corpus};
          },
          "source"_a.noconvert(), "source_start"_a.noconvert(), "target"_a.noconvert(),
          "target_start"_a.noconvert(), "link_start"_a.noconvert(), "link_source"_a.noconvert(),
          "link_target"_a.noconvert(), "source_words"_a, "target_words"_a)
      .def("__len__", [](const CorpusHandle& self) { return self.corpus.size(); })
      .def(
          "word_pairs",
          [](const CorpusHandle& self, std::string folder, std::size_t max_memory, int threads) {
            WordPairs made;
            {
              nb::gil_scoped_release released;
              made =
                  count_word_pairs(self.corpus, {std::move(folder), max_memory, threads}, "words");
            }
            return std::pair(to_numpy(std::move(made.key)), to_numpy(std::move(made.count)));
          },
          "folder"_a, "max_memory"_a, "threads"_a)
      .def(
          "rank_phrases",
          [](const CorpusHandle& self, bool is_target, std::int32_t length, std::string folder,
             std::size_t max_memory, int threads, const std::string& ranks,
             const std::string& places, const std::string& shared) {
            rank_phrases(
                is_target ? self.corpus.target : self.corpus.source,
                static_cast<std::int32_t>(is_target ? self.target_words : self.source_words),
                length, {std::move(folder), max_memory, threads}, {ranks, places, shared});
          },
          "is_target"_a, "length"_a, "folder"_a, "max_memory"_a, "threads"_a, "ranks"_a, "places"_a,
          "shared"_a, Release());
}

void bind_leave_one_out(nb::module_& m) {
  m.def(
      "rules_of_pairs",
      [](const CorpusHandle& corpus, const RuleTableHandle& table, std::int32_t max_phrase,
         std::optional<GapSettings> gaps, In<std::int64_t> pairs, In<std::int64_t> copies,
         int threads) {
        InstanceSettings settings;
        settings.max_phrase = max_phrase;
        settings.has_gaps = gaps.has_value();
        if (gaps) settings.gaps = *gaps;
        PairRules made;
        {
          nb::gil_scoped_release released;
          made = rules_of_pairs(corpus.corpus, table.table, settings, span_of(pairs),
                                span_of(copies), threads);
        }
        return std::tuple(to_numpy(std::move(made.start)), to_numpy(std::move(made.rule)),
                          to_numpy(std::move(made.added)));
      },
      "corpus"_a, "table"_a, "max_phrase"_a, "gaps"_a.none(), "pairs"_a.noconvert(),
      "copies"_a.noconvert(), "threads"_a,
      "The rules of a table that sentence pairs have: where each pair begins, rules, and what is "
      "added to their two scores without the pair.");
}

void bind_instances(nb::module_& m) {
  nb::class_<GapSettings>(m, "GapSettings", "What hierarchical rules may be.")
      .def(
          "__init__",
          [](GapSettings* self, std::int32_t max_source, std::int32_t max_target,
             std::int32_t max_symbols, std::int32_t max_gaps, std::int32_t min_gap_source,
             std::int32_t min_gap_target, bool allow_adjacent, bool need_link, bool tight,
             bool tight_gaps, bool whole_counts) {
            const GapSettings settings{max_source,     max_target,     max_symbols,    max_gaps,
                                       min_gap_source, min_gap_target, allow_adjacent, need_link,
                                       tight,          tight_gaps,     whole_counts};
            check_gap_settings(settings);
            new (self) GapSettings(settings);
          },
          nb::kw_only(), "max_source"_a, "max_target"_a, "max_symbols"_a, "max_gaps"_a,
          "min_gap_source"_a, "min_gap_target"_a, "allow_adjacent"_a, "need_link"_a, "tight"_a,
          "tight_gaps"_a, "whole_counts"_a);
  nb::class_<RuleTotals>(m, "RuleTotals", "What was counted of all rules.")
      .def(
          "__init__",
          [](RuleTotals* self, std::uint64_t rules, std::uint64_t sources, std::uint64_t bytes,
             double count, std::array<std::uint64_t, 12> of_count,
             std::array<std::uint64_t, 8> orientation) {
            new (self) RuleTotals{rules, sources, bytes, count, of_count, orientation};
          },
          "rules"_a, "sources"_a, "bytes"_a, "count"_a, "of_count"_a, "orientation"_a)
      .def_ro("rules", &RuleTotals::rules)
      .def_ro("sources", &RuleTotals::sources)
      .def_ro("bytes", &RuleTotals::bytes)
      .def_ro("count", &RuleTotals::count)
      .def_prop_ro("of_count",
                   [](const RuleTotals& self) { return listed<std::uint64_t>(self.of_count); })
      .def_prop_ro("orientation",
                   [](const RuleTotals& self) { return listed<std::uint64_t>(self.orientation); });
  nb::class_<CollectorHandle>(m, "InstanceCollector", "Where rules are seen in a corpus.")
      .def(
          "__init__",
          [](CollectorHandle* self, const CorpusHandle& corpus, In<std::uint32_t> source_ranks,
             In<std::uint32_t> target_ranks, std::int32_t max_phrase,
             std::optional<GapSettings> gaps, int orientation,
             std::vector<std::int32_t> source_values, std::vector<std::int32_t> target_values,
             std::string folder, std::size_t max_memory, int threads) {
            InstanceSettings settings;
            settings.source_values = std::move(source_values);
            settings.target_values = std::move(target_values);
            settings.max_phrase = max_phrase;
            settings.has_gaps = gaps.has_value();
            if (gaps) settings.gaps = *gaps;
            settings.has_orientation = orientation >= 0;
            if (orientation >= 0) settings.orientation = static_cast<OrientationKind>(orientation);
            new (self) CollectorHandle{
                source_ranks, target_ranks,
                std::make_unique<InstanceCollector>(
                    corpus.corpus, settings, span_of(source_ranks), span_of(target_ranks),
                    SortRoom{std::move(folder), max_memory, threads}),
                nullptr};
          },
          "corpus"_a, "source_ranks"_a.noconvert(), "target_ranks"_a.noconvert(), "max_phrase"_a,
          "gaps"_a.none(), "orientation"_a, "source_values"_a, "target_values"_a, "folder"_a,
          "max_memory"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def("__len__", [](const CollectorHandle& self) { return self.collector->size(); })
      .def(
          "add",
          [](CollectorHandle& self, std::int64_t begin, std::int64_t end) {
            self.collector->add(begin, end);
          },
          "begin"_a, "end"_a, Release())
      .def(
          "sort",
          [](CollectorHandle& self, const std::string& pairs, const std::string& targets) {
            self.source_ranks = {};  // the room they take is needed for sorting
            self.target_ranks = {};
            nb::gil_scoped_release released;
            self.collector->finish();
            self.writer = std::make_unique<PairWriter>(*self.collector, pairs, targets);
          },
          "pairs"_a, "targets"_a)
      .def(
          "write",
          [](CollectorHandle& self, std::int64_t most) {
            if (!self.writer) fail<RuleError>("rules.call-order", "instances are not sorted yet");
            return self.writer->step(most);
          },
          "most"_a, Release())
      .def_prop_ro("totals",
                   [](const CollectorHandle& self) {
                     if (!self.writer)
                       fail<RuleError>("rules.call-order", "instances are not sorted yet");
                     return self.writer->totals();
                   })
      .def_static(
          "write_marginals",
          [](const std::string& targets, std::uint64_t rules, bool has_gaps,
             const std::optional<Discounts>& discounts, std::string folder, std::size_t max_memory,
             int threads, const std::string& marginals) {
            write_marginals(targets, rules, has_gaps, discounts,
                            {std::move(folder), max_memory, threads}, marginals);
          },
          "targets"_a, "rules"_a, "has_gaps"_a, "discounts"_a.none(), "folder"_a, "max_memory"_a,
          "threads"_a, "marginals"_a, Release());
}

void bind_scores(nb::module_& m) {
  nb::class_<LexicalWeights>(m, "LexicalWeights", "How likely words translate each other.")
      .def(
          "__init__",
          [](LexicalWeights* self, In<std::uint64_t> key, In<std::uint64_t> count,
             std::int64_t source_words, std::int64_t target_words) {
            new (self) LexicalWeights(span_of(key), span_of(count), source_words, target_words);
          },
          "key"_a.noconvert(), "count"_a.noconvert(), "source_words"_a, "target_words"_a);
  nb::class_<IndexHandle>(m, "PhraseIndex", "Where phrases stand in a text.")
      .def(
          "__init__",
          [](IndexHandle* self, In<std::uint32_t> ranks, In<std::uint32_t> places,
             In<std::uint8_t> shared, std::int32_t length) {
            new (self) IndexHandle{
                ranks, places, shared, {span_of(ranks), span_of(places), span_of(shared), length}};
          },
          "ranks"_a.noconvert(), "places"_a.noconvert(), "shared"_a.noconvert(), "length"_a);
  using Smoothing = ScoreSettings::Smoothing;
  nb::class_<ScoreSettings>(m, "ScoreSettings", "How rules are scored, and which are kept.")
      .def(
          "__init__",
          [](ScoreSettings* self, int smoothing, std::array<double, 10> good_turing,
             Discounts kneser_ney, double min_count, std::uint64_t min_gapped, std::int64_t limit,
             double min_significance, bool has_gaps, bool has_orientation,
             bool splits_discontinuous, std::array<double, 8> orientation_prior) {
            new (self) ScoreSettings{static_cast<Smoothing>(smoothing),
                                     good_turing,
                                     kneser_ney,
                                     min_count,
                                     min_gapped,
                                     limit,
                                     min_significance,
                                     has_gaps,
                                     has_orientation,
                                     splits_discontinuous,
                                     orientation_prior};
          },
          nb::kw_only(), "smoothing"_a, "good_turing"_a, "kneser_ney"_a, "min_count"_a,
          "min_gapped"_a, "limit"_a, "min_significance"_a, "has_gaps"_a, "has_orientation"_a,
          "splits_discontinuous"_a, "orientation_prior"_a);
  nb::class_<ScorerHandle>(m, "RuleScorer", "Scores rules and writes them into a table.")
      .def(
          "__init__",
          [](ScorerHandle* self, const CorpusHandle& corpus, const LexicalWeights& lexicon,
             const ScoreSettings& settings, const RuleTotals& totals, const std::string& pairs,
             const std::string& marginals, RuleTableWriterHandle& table, int threads) {
            new (self) ScorerHandle{std::make_unique<RuleScorer>(
                corpus.corpus, lexicon, settings, totals,
                PairReader(pairs, marginals, totals, settings.has_gaps, settings.has_orientation,
                           settings.smoothing == Smoothing::kneser_ney),
                table.writer, threads)};
          },
          "corpus"_a, "lexicon"_a, "settings"_a, "totals"_a, "pairs"_a, "marginals"_a, "table"_a,
          "threads"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 8>())
      .def(
          "set_index",
          [](ScorerHandle& self, const IndexHandle& source, const IndexHandle& target) {
            self.scorer->set_index(source.index, target.index);
          },
          "source"_a, "target"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(
          "step", [](ScorerHandle& self) { return self.scorer->step(); }, Release())
      .def_prop_ro("kept", [](const ScorerHandle& self) { return self.scorer->kept(); })
      .def_prop_ro("rare", [](const ScorerHandle& self) { return self.scorer->rare(); })
      .def_prop_ro("insignificant",
                   [](const ScorerHandle& self) { return self.scorer->insignificant(); })
      .def_prop_ro("over_limit", [](const ScorerHandle& self) { return self.scorer->over_limit(); })
      .def_static("significance", &significance, "both"_a, "source"_a, "target"_a, "all"_a);
}

}  // namespace

void bind_rules(nb::module_& m) {
  bind_corpus_of_rules(m);
  bind_instances(m);
  bind_leave_one_out(m);
  bind_scores(m);
}

}  // namespace rosewood::bind
