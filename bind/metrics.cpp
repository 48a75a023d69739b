// bind/metrics.cpp: statistics of hypotheses, and scores of summed statistics.
#include "bind.hpp"
#include "metrics/score.hpp"
#include "metrics/statistics.hpp"

namespace rosewood::bind {

namespace {

MetricKind kind_of(const std::string& name) {
  if (name == "bleu") return MetricKind::bleu;
  if (name == "bleu_sbp") return MetricKind::bleu_sbp;
  if (name == "chrf") return MetricKind::chrf;
  if (name == "ratio") return MetricKind::ratio;
  fail<MetricError>({"argument.choice", "kind"}, "there is no metric kind ", name);
}

Smoothing smoothing_of(const std::string& name) {
  if (name == "exp") return Smoothing::exp;
  if (name == "add-k") return Smoothing::add_k;
  if (name == "floor") return Smoothing::floor;
  if (name == "none") return Smoothing::none;
  fail<MetricError>({"argument.choice", "smoothing"}, "there is no smoothing ", name);
}

MetricScorer make_scorer(const std::string& kind, bool higher_is_better, int orders, double factor,
                         const std::string& smooth, double smooth_value, bool effective_order,
                         double beta) {
  if (orders < 1 || orders > 1000)
    fail<MetricError>({"argument.range", "orders"}, "orders must be 1 to 1000, not ", orders);
  return {kind_of(kind),        higher_is_better, orders,          factor,
          smoothing_of(smooth), smooth_value,     effective_order, beta};
}

void check_rows(const char* what, const Out<double>& array, std::int64_t rows, std::int64_t width) {
  const bool fits = array.ndim() == 2 && array.shape(0) == static_cast<std::size_t>(rows) &&
                    array.shape(1) == static_cast<std::size_t>(width);
  if (!fits)
    fail<MetricError>({"argument.shape", what}, what, " must have ", rows, " rows of ", width,
                      " numbers");
}

using Starts = const In<Offset>&;
using Symbols = const In<SymbolId>&;

Texts texts_of(Starts start, Symbols symbol) { return {span_of(start), span_of(symbol)}; }

/// Hypotheses and references of many sentences, checked.
struct Batch {
  Sentences sentences;
  Texts hypotheses, references;

  Batch(Starts hypothesis_start, Starts reference_start, Starts hypothesis_word_start,
        Symbols hypothesis_word, Starts reference_word_start, Symbols reference_word)
      : sentences{span_of(hypothesis_start), span_of(reference_start)},
        hypotheses(texts_of(hypothesis_word_start, hypothesis_word)),
        references(texts_of(reference_word_start, reference_word)) {
    check_sentences(sentences, hypotheses, references);
  }
};

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::class_<MetricScorer>(m, "MetricScorer", "The score of summed statistics.")
      .def(
          "__init__",
          [](MetricScorer* self, const std::string& kind, bool higher_is_better, int orders,
             double factor, const std::string& smooth, double smooth_value, bool effective_order,
             double beta) {
            new (self) MetricScorer(make_scorer(kind, higher_is_better, orders, factor, smooth,
                                                smooth_value, effective_order, beta));
          },
          "kind"_a, "higher_is_better"_a = true, "orders"_a = 4, "factor"_a = 100.0,
          "smooth"_a = "exp", "smooth_value"_a = 0.0, "effective_order"_a = false, "beta"_a = 2.0)
      .def_prop_ro("width", &MetricScorer::width)
      .def_ro("factor", &MetricScorer::factor);
  m.def(
      "metric_scores",
      [](const MetricScorer& scorer, In2<double> statistics, Out<double> score) {
        if (score.size() != statistics.shape(0))
          fail<MetricError>({"argument.shape", "score"}, score.size(), " scores of ",
                            statistics.shape(0), " rows");
        if (statistics.shape(1) != static_cast<std::size_t>(scorer.width()))
          fail<MetricError>({"argument.shape", "statistics"}, "a row of statistics has ",
                            statistics.shape(1), " numbers, not ", scorer.width());
        metric_scores(scorer, span_of(statistics), span_of(score));
      },
      "scorer"_a, "statistics"_a.noconvert(), "score"_a.noconvert(), Release(),
      "The score of each row of summed statistics.");
  m.def(
      "bleu_statistics",
      [](In<Offset> hypothesis_start, In<Offset> reference_start, In<Offset> hypothesis_word_start,
         In<SymbolId> hypothesis_word, In<Offset> reference_word_start, In<SymbolId> reference_word,
         int orders, bool clip, int threads, Out<double> statistics) {
        const Batch batch(hypothesis_start, reference_start, hypothesis_word_start, hypothesis_word,
                          reference_word_start, reference_word);
        if (orders < 1 || orders > 1000)
          fail<MetricError>({"argument.range", "orders"}, "orders must be 1 to 1000");
        const std::int64_t width = 2 + 2 * orders;
        const bool longer =
            statistics.ndim() == 2 && statistics.shape(1) == static_cast<std::size_t>(width) + 1;
        check_rows("statistics", statistics, batch.hypotheses.size(), longer ? width + 1 : width);
        bleu_statistics(batch.sentences, batch.hypotheses, batch.references, orders,
                        longer ? width + 1 : width, clip, threads, span_of(statistics));
      },
      "hypothesis_start"_a.noconvert(), "reference_start"_a.noconvert(),
      "hypothesis_word_start"_a.noconvert(), "hypothesis_word"_a.noconvert(),
      "reference_word_start"_a.noconvert(), "reference_word"_a.noconvert(), "orders"_a, "clip"_a,
      "threads"_a, "statistics"_a.noconvert(), Release(),
      "Lengths, matches and n-grams of each hypothesis; one column more is the shorter length.");
  m.def(
      "chrf_statistics",
      [](In<Offset> hypothesis_start, In<Offset> reference_start, In<Offset> hypothesis_char_start,
         In<SymbolId> hypothesis_char, In<Offset> reference_char_start, In<SymbolId> reference_char,
         In<Offset> hypothesis_word_start, In<SymbolId> hypothesis_word,
         In<Offset> reference_word_start, In<SymbolId> reference_word, int char_orders,
         int word_orders, const MetricScorer& scorer, int threads, Out<double> statistics) {
        const Batch chars(hypothesis_start, reference_start, hypothesis_char_start, hypothesis_char,
                          reference_char_start, reference_char);
        const Batch words(hypothesis_start, reference_start, hypothesis_word_start, hypothesis_word,
                          reference_word_start, reference_word);
        if (char_orders < 0 || word_orders < 0 || scorer.kind != MetricKind::chrf ||
            scorer.orders != char_orders + word_orders)
          fail<MetricError>({"argument.conflict", "scorer"}, "a chrF scorer of ", char_orders,
                            " + ", word_orders, " orders is due");
        check_rows("statistics", statistics, chars.hypotheses.size(), scorer.width());
        chrf_statistics(chars.sentences, chars.hypotheses, chars.references, words.hypotheses,
                        words.references, char_orders, word_orders, scorer, threads,
                        span_of(statistics));
      },
      "hypothesis_start"_a.noconvert(), "reference_start"_a.noconvert(),
      "hypothesis_char_start"_a.noconvert(), "hypothesis_char"_a.noconvert(),
      "reference_char_start"_a.noconvert(), "reference_char"_a.noconvert(),
      "hypothesis_word_start"_a.noconvert(), "hypothesis_word"_a.noconvert(),
      "reference_word_start"_a.noconvert(), "reference_word"_a.noconvert(), "char_orders"_a,
      "word_orders"_a, "scorer"_a, "threads"_a, "statistics"_a.noconvert(), Release(),
      "N-grams of each hypothesis and of its best reference, and their matches, for each order.");
  m.def(
      "edit_statistics",
      [](In<Offset> hypothesis_start, In<Offset> reference_start, In<Offset> hypothesis_word_start,
         In<SymbolId> hypothesis_word, In<Offset> reference_word_start, In<SymbolId> reference_word,
         int threads, Out<double> statistics) {
        const Batch batch(hypothesis_start, reference_start, hypothesis_word_start, hypothesis_word,
                          reference_word_start, reference_word);
        check_rows("statistics", statistics, batch.hypotheses.size(), 2);
        edit_statistics(batch.sentences, batch.hypotheses, batch.references, threads,
                        span_of(statistics));
      },
      "hypothesis_start"_a.noconvert(), "reference_start"_a.noconvert(),
      "hypothesis_word_start"_a.noconvert(), "hypothesis_word"_a.noconvert(),
      "reference_word_start"_a.noconvert(), "reference_word"_a.noconvert(), "threads"_a,
      "statistics"_a.noconvert(), Release(),
      "Edits from each hypothesis to its nearest reference, and that reference's length.");
  m.def(
      "known_ngrams",
      [](In<Offset> reference_start, In<SymbolId> reference, In<Offset> ngram_start,
         In<SymbolId> ngram, Out<std::uint8_t> known) {
        const Texts references = texts_of(reference_start, reference);
        const Texts ngrams = texts_of(ngram_start, ngram);
        if (known.size() + 1 != ngram_start.size())
          fail<MetricError>({"argument.shape", "known"}, "known has ", known.size(),
                            " entries for ", ngrams.size(), " n-grams");
        known_ngrams(references, ngrams, span_of(known));
      },
      "reference_start"_a.noconvert(), "reference"_a.noconvert(), "ngram_start"_a.noconvert(),
      "ngram"_a.noconvert(), "known"_a.noconvert(), Release(),
      "1 for each n-gram that one of the references has.");
}

}  // namespace rosewood::bind
