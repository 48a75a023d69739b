// bind/align.cpp: models of word alignment: lexicons, expectations, probabilities, choices.
#include <memory>

#include "align/maximise.hpp"
#include "align/model.hpp"
#include "align/spelling.hpp"
#include "bind.hpp"

namespace rosewood::bind {

namespace {

/// A corpus whose arrays are kept alive, checked once.
struct BitextHandle {
  In<std::int32_t> source_ids, target_ids;
  In<std::int64_t> source_start, target_start;
  BitextView view;
};

/// A lexicon whose arrays are kept alive, checked once.
struct LexiconHandle {
  In<std::int64_t> row;
  Out<std::uint8_t> bytes;
  std::int32_t target_words;

  LexiconEdit edit() const {
    return {span_of(row), {reinterpret_cast<Entry*>(bytes.data()), bytes.size() / sizeof(Entry)}};
  }
  LexiconView view() const { return {edit().row, edit().entry}; }
};

void check(const char* what, std::size_t have, std::size_t want) {
  if (have != want)
    fail<AlignmentError>({"argument.shape", what, have}, what, " has ", have, " entries, not ",
                         want);
}

int placing_of(const std::string& name) {
  if (name == "uniform") return static_cast<int>(Placing::uniform);
  if (name == "diagonal") return static_cast<int>(Placing::diagonal);
  if (name == "jumps") return static_cast<int>(Placing::jumps);
  fail<AlignmentError>({"argument.choice", "placing"}, "there is no placing ", name);
}

using Side = CollapsedSide;

/// What is counted of one side's words.
struct SideHandle {
  In<Count> total;
  In<std::int32_t> stem;
  In<Count> stem_total;
  In<double> share, spelling_total;
  In<Count> null;

  Side view() const {
    Side side{span_of(total), span_of(stem),           span_of(stem_total),
              span_of(share), span_of(spelling_total), span_of(null)};
    side.words = static_cast<std::int32_t>(total.size());
    side.stems = static_cast<std::int32_t>(stem_total.size());
    for (const Count count : side.null) side.null_total += count;
    for (const std::int32_t s : side.stem)
      if (s < 0 || s >= side.stems)
        fail<AlignmentError>({"argument.range", "stems"}, "a word has stem ", s);
    for (std::size_t have : {stem.size(), share.size(), spelling_total.size(), null.size()})
      check("an array of words", have, total.size());
    return side;
  }
};

struct CollapsedHandle {
  In<Count> count;
  In<float> spelling;
  In<std::int32_t> pair;
  In<Count> pair_count;
  SideHandle source, target;
  Collapsed view;
};

struct ModelHandle {
  std::shared_ptr<LexiconHandle> lexicon;
  std::array<In<double>, 2> jump;
  std::array<In<float>, 2> null_word;
  std::shared_ptr<CollapsedHandle> collapsed;
  std::array<In<std::int32_t>, 3> kept;
  AlignmentModel view;
};

std::span<const KeptLink> kept_of(const In<std::int32_t>& array) {
  return {reinterpret_cast<const KeptLink*>(array.data()), array.size() / 2};
}

void check_kept(const BitextView& bitext, std::size_t links, std::size_t null_target,
                std::size_t null_source) {
  check("kept links", links, bitext.target.ids.size() * kept_links);
  check("kept nulls of the target", null_target, bitext.target.ids.size());
  check("kept nulls of the source", null_source, bitext.source.ids.size());
}

/// A model that fits a corpus.
const AlignmentModel& fitting(const BitextHandle& bitext, const ModelHandle& model) {
  check_model(bitext.view, model.view);
  if (model.view.collapsed != nullptr)
    check_kept(bitext.view, model.view.kept.link.size(), model.view.kept.null[0].size(),
               model.view.kept.null[1].size());
  return model.view;
}

void check_positions(const TextView& text, std::span<const std::int64_t> position,
                     std::span<Count> placed) {
  if (placed.empty()) return;
  check("position", position.size(), static_cast<std::size_t>(text.size()));
  for (std::int64_t k = 0; k < text.size(); ++k) {
    const std::int64_t begin = position[static_cast<std::size_t>(k)];
    const auto end = begin + static_cast<std::int64_t>(text.sentence(k).size());
    if (begin < 0 || end > static_cast<std::int64_t>(placed.size()))
      fail<AlignmentError>("argument.range", "the position of sentence ", k, " is out of range");
  }
}

std::array<std::span<Count>, 2> spans(const Out<Count>& one, const Out<Count>& other) {
  return {span_of(one), span_of(other)};
}

void bind_lexicon(nb::module_& m) {
  nb::class_<BitextHandle>(m, "Bitext", "Sentence pairs as numbers of words, checked.")
      .def(
          "__init__",
          [](BitextHandle* self, In<std::int32_t> source_ids, In<std::int64_t> source_start,
             std::int32_t source_words, In<std::int32_t> target_ids, In<std::int64_t> target_start,
             std::int32_t target_words) {
            const BitextView view{{span_of(source_ids), span_of(source_start), source_words},
                                  {span_of(target_ids), span_of(target_start), target_words}};
            check_bitext(view);
            new (self) BitextHandle{source_ids, target_ids, source_start, target_start, view};
          },
          "source_ids"_a, "source_start"_a, "source_words"_a, "target_ids"_a, "target_start"_a,
          "target_words"_a);
  nb::class_<LexiconHandle>(m, "Lexicon", "Pairs of words that occur together, checked.")
      .def(
          "__init__",
          [](LexiconHandle* self, In<std::int64_t> row, Out<std::uint8_t> bytes,
             std::int32_t target_words) {
            if (bytes.size() % sizeof(Entry) != 0 ||
                reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(Entry) != 0)
              fail<AlignmentError>("argument.shape", "the lexicon's entries are not whole");
            const LexiconHandle made{row, bytes, target_words};
            if (row.size() == 0) fail<AlignmentError>("argument.shape", "the lexicon has no rows");
            check_lexicon(made.view(), static_cast<std::int32_t>(row.size() - 1), target_words);
            new (self) LexiconHandle(made);
          },
          "row"_a, "entry"_a, "target_words"_a);
  m.def(
      "lexicon_rows",
      [](const BitextHandle& bitext, Out<std::int64_t> row, int threads) {
        check("row", row.size(), static_cast<std::size_t>(bitext.view.source.words) + 1);
        lexicon_rows(bitext.view, span_of(row), threads);
      },
      "bitext"_a, "row"_a, "threads"_a = 1, Release());
  m.def(
      "lexicon_fill",
      [](const BitextHandle& bitext, const LexiconHandle& lexicon, int threads) {
        check("row", lexicon.row.size(), static_cast<std::size_t>(bitext.view.source.words) + 1);
        if (lexicon.target_words != bitext.view.target.words)
          fail<AlignmentError>("alignment.other-corpus", "the lexicon is of another corpus");
        lexicon_fill(bitext.view, lexicon.edit(), threads);
      },
      "bitext"_a, "lexicon"_a, "threads"_a = 1, Release());
  m.def(
      "spell",
      [](const LexiconHandle& lexicon, In<std::int32_t> source_point, In<std::int64_t> source_start,
         In<std::int32_t> target_point, In<std::int64_t> target_start, Out<float> like,
         Out<double> source_total, Out<double> target_total, int threads) {
        check("source spellings", source_start.size(), lexicon.row.size());
        check("target spellings", target_start.size(),
              static_cast<std::size_t>(lexicon.target_words) + 1);
        check("likeness", like.size(), lexicon.view().entry.size());
        check("source totals", source_total.size(), source_start.size() - 1);
        check("target totals", target_total.size(), target_start.size() - 1);
        spell(lexicon.view(),
              {Spellings{span_of(source_point), span_of(source_start)},
               Spellings{span_of(target_point), span_of(target_start)}},
              span_of(like), {span_of(source_total), span_of(target_total)}, threads);
      },
      "lexicon"_a, "source_point"_a, "source_start"_a, "target_point"_a, "target_start"_a, "like"_a,
      "source_total"_a, "target_total"_a, "threads"_a = 1, Release());
  m.def(
      "pair_stems",
      [](const LexiconHandle& lexicon, In<std::int32_t> source_stem, In<std::int32_t> target_stem,
         const LexiconHandle& stems, Out<std::int32_t> pair, int threads) {
        check("source stems", source_stem.size() + 1, lexicon.row.size());
        check("target stems", target_stem.size(), static_cast<std::size_t>(lexicon.target_words));
        check("pair", pair.size(), lexicon.view().entry.size());
        for (const std::int32_t stem : span_of(source_stem))
          if (stem < 0 || stem >= stems.view().rows())
            fail<AlignmentError>("argument.range", "no stem ", stem);
        pair_stems(lexicon.view(), {span_of(source_stem), span_of(target_stem)}, stems.view(),
                   span_of(pair), threads);
      },
      "lexicon"_a, "source_stem"_a, "target_stem"_a, "stems"_a, "pair"_a, "threads"_a = 1,
      Release());
  m.def(
      "add_pairs",
      [](In<Count> count, In<std::int32_t> pair, Out<Count> pair_count) {
        check("pair", pair.size(), count.size());
        for (const std::int32_t p : span_of(pair))
          if (p < 0 || static_cast<std::size_t>(p) >= pair_count.size())
            fail<AlignmentError>("argument.range", "there is no pair of stems ", p);
        add_pairs(span_of(count), span_of(pair), span_of(pair_count));
      },
      "count"_a, "pair"_a, "pair_count"_a, Release());
}

void bind_counts(nb::module_& m) {
  m.def(
      "exp_digamma",
      [](In<double> x, Out<double> out) {
        check("out", out.size(), x.size());
        for (const double each : span_of(x))
          if (!(each > 0.0)) fail<AlignmentError>("argument.range", "digamma of ", each);
        exp_digamma(span_of(x), span_of(out));
      },
      "x"_a, "out"_a, Release());
  m.def(
      "count_totals",
      [](const LexiconHandle& lexicon, In2<Count> count, Out<Count> source, Out<Count> target) {
        check("count", count.shape(0), lexicon.view().entry.size());
        check("source totals", source.size() + 1, lexicon.row.size());
        check("target totals", target.size(), static_cast<std::size_t>(lexicon.target_words));
        add_up(lexicon.view(), span_of(count), count.shape(1), spans(source, target));
      },
      "lexicon"_a, "count"_a, "source"_a, "target"_a, Release());
  m.def(
      "count_partners",
      [](const LexiconHandle& lexicon, Out<std::int64_t> source, Out<std::int64_t> target) {
        check("source partners", source.size() + 1, lexicon.row.size());
        check("target partners", target.size(), static_cast<std::size_t>(lexicon.target_words));
        count_partners(lexicon.view(), {span_of(source), span_of(target)});
      },
      "lexicon"_a, "source"_a, "target"_a, Release());
  m.def(
      "maximise_words",
      [](const LexiconHandle& lexicon, In2<Count> count, In<Count> source, In<Count> target,
         In<std::int64_t> source_partners, In<std::int64_t> target_partners, double prior,
         int threads) {
        check("count", count.shape(0), lexicon.view().entry.size());
        check("source totals", source.size() + 1, lexicon.row.size());
        check("target totals", target.size(), static_cast<std::size_t>(lexicon.target_words));
        check("source partners", source_partners.size(), source.size());
        check("target partners", target_partners.size(), target.size());
        if (count.shape(1) < 1 || !(prior >= 0.0))
          fail<AlignmentError>({"argument.range", "prior"}, "the prior is ", prior);
        maximise(lexicon.edit(), span_of(count), count.shape(1), {span_of(source), span_of(target)},
                 {span_of(source_partners), span_of(target_partners)}, prior, threads);
      },
      "lexicon"_a, "count"_a, "source"_a, "target"_a, "source_partners"_a, "target_partners"_a,
      "prior"_a, "threads"_a = 1, Release());
  m.def(
      "maximise_collapsed",
      [](const LexiconHandle& lexicon, const CollapsedHandle& collapsed, int threads) {
        check("count", collapsed.count.size(), lexicon.view().entry.size());
        check("source totals", collapsed.source.total.size() + 1, lexicon.row.size());
        check("target totals", collapsed.target.total.size(),
              static_cast<std::size_t>(lexicon.target_words));
        maximise_collapsed(lexicon.edit(), collapsed.view, threads);
      },
      "lexicon"_a, "collapsed"_a, "threads"_a = 1, Release());
  m.def(
      "transfer_counts",
      [](In<std::int64_t> start, In<std::int32_t> word, In2<Count> count,
         const LexiconHandle& lexicon, Out<Count> out, int threads) {
        check("count", count.shape(0), word.size());
        check("out", out.size(), lexicon.view().entry.size() * count.shape(1));
        const auto offset = span_of(start);
        bool is_good = !offset.empty() && offset[0] == 0 &&
                       offset.back() == static_cast<std::int64_t>(word.size());
        for (std::size_t s = 1; is_good && s < offset.size(); ++s)
          is_good = offset[s] >= offset[s - 1];
        if (!is_good)
          fail<AlignmentError>("argument.shape", "the offsets of counted pairs do not fit");
        transfer({offset, span_of(word), span_of(count)}, lexicon.view(), span_of(out),
                 count.shape(1), threads);
      },
      "start"_a, "word"_a, "count"_a, "lexicon"_a, "out"_a, "threads"_a = 1, Release());
}

void bind_models(nb::module_& m) {
  nb::class_<SideHandle>(m, "CollapsedSide", "Counts of the words of one side.")
      .def(nb::init<In<Count>, In<std::int32_t>, In<Count>, In<double>, In<double>, In<Count>>(),
           "total"_a, "stem"_a, "stem_total"_a, "share"_a, "spelling_total"_a, "null"_a);
  nb::class_<CollapsedHandle>(m, "Collapsed", "Counts that can leave out a word's own.")
      .def(
          "__init__",
          [](CollapsedHandle* self, In<Count> count, In<float> spelling, In<std::int32_t> pair,
             In<Count> pair_count, const SideHandle& source, const SideHandle& target, double prior,
             double null_prior, double spelling_weight, double stem_weight, double stem_prior) {
            check("spelling", spelling.size(), count.size());
            check("pair", pair.size(), count.size());
            for (const std::int32_t p : span_of(pair))
              if (p < 0 || static_cast<std::size_t>(p) >= pair_count.size())
                fail<AlignmentError>("argument.range", "there is no pair of stems ", p);
            new (self) CollapsedHandle{count,
                                       spelling,
                                       pair,
                                       pair_count,
                                       source,
                                       target,
                                       {span_of(count),
                                        span_of(spelling),
                                        span_of(pair),
                                        span_of(pair_count),
                                        {source.view(), target.view()},
                                        prior,
                                        null_prior,
                                        spelling_weight,
                                        stem_weight,
                                        stem_prior}};
          },
          "count"_a, "spelling"_a, "pair"_a, "pair_count"_a, "source"_a, "target"_a, "prior"_a,
          "null_prior"_a, "spelling_weight"_a, "stem_weight"_a, "stem_prior"_a);
  nb::class_<ModelHandle>(m, "AlignmentModel", "A model of word alignment in both directions.")
      .def(
          "__init__",
          [](ModelHandle* self, std::shared_ptr<LexiconHandle> lexicon, const std::string& placing,
             std::pair<double, double> null, std::pair<double, double> tension,
             In<double> forward_jump, In<double> backward_jump, In<float> null_target,
             In<float> null_source, bool agreement) {
            const auto kind = static_cast<Placing>(placing_of(placing));
            auto* made = new (self) ModelHandle{
                lexicon, {forward_jump, backward_jump}, {null_target, null_source}, nullptr, {},
                {}};
            made->view.lexicon = lexicon->view();
            made->view.placement = {
                Placement{kind, null.first, tension.first, span_of(forward_jump)},
                Placement{kind, null.second, tension.second, span_of(backward_jump)}};
            made->view.null_word = {span_of(null_target), span_of(null_source)};
            made->view.agreement = agreement;
          },
          "lexicon"_a, "placing"_a, "null"_a, "tension"_a, "forward_jump"_a, "backward_jump"_a,
          "null_target"_a, "null_source"_a, "agreement"_a)
      .def(
          "leave_out",
          [](ModelHandle& self, std::shared_ptr<CollapsedHandle> collapsed, In<std::int32_t> links,
             In<std::int32_t> null_target, In<std::int32_t> null_source) {
            check("count", collapsed->count.size(), self.view.lexicon.entry.size());
            self.collapsed = collapsed;
            self.kept = {links, null_target, null_source};
            self.view.collapsed = &collapsed->view;
            self.view.kept = {kept_of(links), {span_of(null_target), span_of(null_source)}};
          },
          "collapsed"_a, "links"_a, "null_target"_a, "null_source"_a);
  m.def(
      "align_expect",
      [](const BitextHandle& bitext, const ModelHandle& model, Out<Count> count,
         Out<Count> null_target, Out<Count> null_source, Out<std::int32_t> keep,
         Out<std::int32_t> keep_null_target, Out<std::int32_t> keep_null_source,
         In<std::int64_t> target_position, In<std::int64_t> source_position,
         Out<Count> target_placed, Out<Count> source_placed, int threads) {
        const AlignmentModel& view = fitting(bitext, model);
        ExpectedCounts sums;
        sums.link = span_of(count);
        sums.null = spans(null_target, null_source);
        const bool is_one = view.agreement || keep.size() > 0;
        check("count", count.size(), view.lexicon.entry.size() * (is_one ? 1 : 2));
        check("null counts", null_target.size(), view.null_word[0].size());
        check("null counts", null_source.size(), view.null_word[1].size());
        if (keep.size() > 0) {
          check_kept(bitext.view, keep.size() / 2, keep_null_target.size(),
                     keep_null_source.size());
          sums.keep = {{reinterpret_cast<KeptLink*>(keep.data()), keep.size() / 2},
                       {span_of(keep_null_target), span_of(keep_null_source)}};
        }
        sums.position = {span_of(target_position), span_of(source_position)};
        sums.placed = spans(target_placed, source_placed);
        check_positions(bitext.view.target, sums.position[0], sums.placed[0]);
        check_positions(bitext.view.source, sums.position[1], sums.placed[1]);
        {
          const nb::gil_scoped_release unlocked;
          expect(bitext.view, view, sums, threads);
        }
        return std::tuple(
            std::vector<double>(sums.log_probability.begin(), sums.log_probability.end()),
            std::vector<double>(sums.distance.begin(), sums.distance.end()), sums.jump[0],
            sums.chance[0], sums.jump[1], sums.chance[1]);
      },
      "bitext"_a, "model"_a, "count"_a, "null_target"_a, "null_source"_a, "keep"_a,
      "keep_null_target"_a, "keep_null_source"_a, "target_position"_a, "source_position"_a,
      "target_placed"_a, "source_placed"_a, "threads"_a = 1);
  m.def(
      "align_choose",
      [](const BitextHandle& bitext, const ModelHandle& model, double least,
         Out<std::int32_t> forward, Out<std::int32_t> backward, Out<double> forward_score,
         Out<double> backward_score, int threads) {
        const AlignmentModel& view = fitting(bitext, model);
        check("forward choices", forward.size(), bitext.view.target.ids.size());
        check("backward choices", backward.size(), bitext.view.source.ids.size());
        for (const auto* score : {&forward_score, &backward_score})
          check("scores", score->size(), static_cast<std::size_t>(bitext.view.size()));
        choose(bitext.view, view, least, {span_of(forward), span_of(backward)},
               {span_of(forward_score), span_of(backward_score)}, threads);
      },
      "bitext"_a, "model"_a, "least"_a, "forward"_a, "backward"_a, "forward_score"_a,
      "backward_score"_a, "threads"_a = 1, Release());
  m.def(
      "align_posteriors",
      [](const BitextHandle& bitext, const ModelHandle& model, In<std::int64_t> start,
         Out<float> forward, Out<float> backward, int threads) {
        const AlignmentModel& view = fitting(bitext, model);
        check("start", start.size(), static_cast<std::size_t>(bitext.view.size()) + 1);
        std::int64_t cells = 0;
        for (std::int64_t k = 0; k < bitext.view.size(); ++k) {
          if (start.data()[k] != cells)
            fail<AlignmentError>({"argument.shape", "start"}, "start does not fit sentence ", k);
          cells += static_cast<std::int64_t>(bitext.view.source.sentence(k).size() *
                                             bitext.view.target.sentence(k).size());
        }
        check("forward posteriors", forward.size(), static_cast<std::size_t>(cells));
        check("backward posteriors", backward.size(), static_cast<std::size_t>(cells));
        posteriors(bitext.view, view, span_of(start), {span_of(forward), span_of(backward)},
                   threads);
      },
      "bitext"_a, "model"_a, "start"_a, "forward"_a, "backward"_a, "threads"_a = 1, Release());
}

}  // namespace

void bind_align(nb::module_& m) {
  bind_lexicon(m);
  bind_counts(m);
  bind_models(m);
}

}  // namespace rosewood::bind
