// bind/metrics.cpp: scores of summed statistics.
#include "bind.hpp"
#include "metrics/score.hpp"

namespace rosewood::bind {

namespace {

MetricScorer make_scorer(const std::string& kind, bool higher_is_better, int orders,
                         double factor) {
  MetricScorer scorer{MetricKind::ratio, higher_is_better, orders, factor};
  if (kind == "bleu")
    scorer.kind = MetricKind::bleu;
  else if (kind == "bleu_sbp")
    scorer.kind = MetricKind::bleu_sbp;
  else if (kind != "ratio")
    fail<MetricError>("there is no metric kind ", kind);
  return scorer;
}

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::class_<MetricScorer>(m, "MetricScorer", "The score of summed statistics.")
      .def(
          "__init__",
          [](MetricScorer* self, const std::string& kind, bool higher_is_better, int orders,
             double factor) {
            new (self) MetricScorer(make_scorer(kind, higher_is_better, orders, factor));
          },
          "kind"_a, "higher_is_better"_a = true, "orders"_a = 4, "factor"_a = 100.0)
      .def_prop_ro("width", &MetricScorer::width);
  m.def(
      "metric_scores",
      [](const MetricScorer& scorer, In2<double> statistics, Out<double> score) {
        check_size("score", score.size(), statistics.shape(0));
        check_size("a row of statistics", statistics.shape(1),
                   static_cast<std::size_t>(scorer.width()));
        metric_scores(scorer, span_of(statistics), span_of(score));
      },
      "scorer"_a, "statistics"_a.noconvert(), "score"_a.noconvert(), Release(),
      "The score of each row of summed statistics.");
}

}  // namespace rosewood::bind
