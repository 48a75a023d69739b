// bind/learn.cpp: what learners need of many forests at once.
#include <algorithm>

#include "bind.hpp"
#include "learn/batch.hpp"
#include "learn/edge_risk.hpp"
#include "learn/envelope.hpp"
#include "learn/line_search.hpp"
#include "learn/mira.hpp"
#include "learn/objective.hpp"
#include "learn/ranking.hpp"

namespace rosewood::bind {

namespace {

/// The forests of a batch, kept alive, and the view kernels take.
struct BatchHandle {
  std::vector<ForestHandle> forests;
  std::vector<FeatureHandle> features;
  std::vector<In<Offset>> edge_maps;
  std::size_t theta_size;
  ForestBatch batch;

  std::size_t edges() const { return static_cast<std::size_t>(batch.num_edges()); }
};

void check_rows(const char* what, std::span<const Offset> row, std::int64_t rows) {
  for (const auto r : row)
    if (r < 0 || r >= rows)
      fail<TuningError>({"argument.range", what}, what, " ", r, " is out of range: there are ",
                        rows);
}

BatchHandle make_batch(std::vector<ForestHandle> forests, std::vector<FeatureHandle> features,
                       std::vector<In<Offset>> edge_maps, std::vector<std::int64_t> numbers) {
  check_size("features", features.size(), forests.size());
  if (!edge_maps.empty()) check_size("edge_maps", edge_maps.size(), forests.size());
  if (!numbers.empty()) check_size("numbers", numbers.size(), forests.size());
  BatchHandle handle{std::move(forests), std::move(features), std::move(edge_maps), 0, {}};
  handle.batch.edge_begin.push_back(0);
  handle.batch.number = std::move(numbers);
  const bool is_numbered = !handle.batch.number.empty();
  for (std::size_t i = 0; i < handle.forests.size(); ++i) {
    if (!is_numbered) handle.batch.number.push_back(static_cast<std::int64_t>(i));
    const auto& view = handle.features[i].view;
    const auto size = static_cast<std::size_t>(view.width + handle.features[i].sparse_features);
    if (i == 0) handle.theta_size = size;
    if (size != handle.theta_size)
      fail<ForestError>({"argument.shape", "features"}, "forest ", handle.batch.number[i], " has ",
                        size, " features, forest ", handle.batch.number[0], " has ",
                        handle.theta_size);
    const auto edges = handle.forests[i].edges();
    const auto rows = handle.features[i].start.size() - 1;
    std::span<const Offset> map;
    if (handle.edge_maps.empty()) {
      check_size("feat_start", rows + 1, edges + 1);
    } else {
      map = span_of(handle.edge_maps[i]);
      check_size("edge_map", map.size(), edges);
      check_rows("edge", map, static_cast<std::int64_t>(rows));
    }
    handle.batch.forest.push_back(handle.forests[i].view);
    handle.batch.features.push_back(view);
    handle.batch.edge_map.push_back(map);
    handle.batch.edge_begin.push_back(handle.batch.edge_begin.back() +
                                      handle.forests[i].view.num_edges());
  }
  return handle;
}

void check_starts(std::span<const Offset> start, std::size_t items) {
  if (start.empty() || start.front() != 0 || start.back() != static_cast<Offset>(items))
    fail<TuningError>("argument.shape", "offsets must go from 0 to ", items);
  for (std::size_t i = 0; i + 1 < start.size(); ++i)
    if (start[i] >= start[i + 1]) fail<TuningError>("argument.shape", "list ", i, " is empty");
}

}  // namespace

void bind_learn(nb::module_& m) {
  nb::class_<BatchHandle>(m, "ForestBatch", "Many forests with the same features.");
  m.def("make_batch", &make_batch, "forests"_a, "features"_a,
        "edge_maps"_a = std::vector<In<Offset>>(), "numbers"_a = std::vector<std::int64_t>(),
        "The views are kept alive. With edge maps, edge e of a forest has row edge_map[e] of its "
        "features; `numbers` are those of the forests in the whole set, for errors.");
  m.def(
      "batch_scores",
      [](const BatchHandle& b, In2<double> theta, Out<double> score, int threads) {
        if (!b.edge_maps.empty())
          fail<TuningError>("argument.conflict", "scores are those of forests without maps");
        check_size("theta", theta.shape(1), b.theta_size);
        check_size("score", score.size(), theta.shape(0) * b.edges());
        batch_scores(b.batch, static_cast<std::int64_t>(theta.shape(0)), span_of(theta),
                     span_of(score), threads);
      },
      "batch"_a, "theta"_a.noconvert(), "score"_a.noconvert(), "threads"_a = 1, Release(),
      "Scores of all edges, a row for each row of theta.");
  m.def(
      "batch_best",
      [](const BatchHandle& b, In<double> theta, int threads) {
        check_size("theta", theta.size(), b.theta_size);
        BatchDerivations best;
        {
          nb::gil_scoped_release release;
          best = batch_best(b.batch, span_of(theta), threads);
        }
        return std::pair(to_numpy(std::move(best.start)), to_numpy(std::move(best.edge)));
      },
      "batch"_a, "theta"_a.noconvert(), "threads"_a = 1,
      "Each forest's best derivation: offsets, and edges in pre-order, numbered in the batch.");
  m.def(
      "batch_objective",
      [](const BatchHandle& b, In<std::int64_t> subset, In<std::int64_t> shard, In<double> theta,
         In<double> loss, In<double> target, std::tuple<double, double, double, double> terms,
         Out<double> parts, Out<double> gradient, int threads) {
        check_size("theta", theta.size(), b.theta_size);
        check_size("shard", shard.size(), subset.size());
        check_size("parts", parts.size() % 3, 0);
        const auto shards = parts.size() / 3;
        check_size("gradient", gradient.size(), shards * b.theta_size);
        const auto [scale, risk, entropy, log_loss] = terms;
        if (risk != 0.0) check_size("loss", loss.size(), b.edges());
        if (log_loss != 0.0) check_size("target", target.size(), b.edges());
        check_rows("forest", span_of(subset), b.batch.size());
        check_rows("shard", span_of(shard), static_cast<std::int64_t>(shards));
        if (!std::ranges::is_sorted(span_of(shard)))
          fail<TuningError>({"argument.value", "shards"}, "shards must ascend");
        static_assert(sizeof(ObjectiveParts) == 3 * sizeof(double));
        const std::span sums(reinterpret_cast<ObjectiveParts*>(parts.data()), shards);
        batch_objective(b.batch, span_of(subset), span_of(shard), span_of(theta), span_of(loss),
                        span_of(target), {scale, risk, entropy, log_loss}, sums, span_of(gradient),
                        threads);
      },
      "batch"_a, "subset"_a.noconvert(), "shard"_a.noconvert(), "theta"_a.noconvert(),
      "loss"_a.noconvert(), "target"_a.noconvert(), "terms"_a, "parts"_a.noconvert(),
      "gradient"_a.noconvert(), "threads"_a = 1, Release(),
      "Adds risk, entropy and log loss of forests, and gradients, to the rows of their shards; "
      "`terms` are γ and how much each counts.");
  m.def(
      "batch_risk",
      [](const BatchHandle& b, In<Offset> row_start, In<double> score, In<double> loss,
         double scale, Out<double> risk, Out<double> slope, int threads) {
        const auto forests = static_cast<std::size_t>(b.batch.size());
        check_size("row_start", row_start.size(), forests + 1);
        for (std::size_t i = 0; i < forests; ++i)
          check_size("rows",
                     static_cast<std::size_t>(row_start.data()[i + 1] - row_start.data()[i]),
                     b.features[i].start.size() - 1);
        if (row_start.data()[0] != 0)
          fail<TuningError>({"argument.range", "row_start"}, "rows must begin at 0");
        const auto rows = static_cast<std::size_t>(row_start.data()[forests]);
        check_size("score", score.size(), rows);
        check_size("slope", slope.size(), rows);
        check_size("loss", loss.size(), b.edges());
        check_size("risk", risk.size(), forests);
        batch_risk(b.batch, span_of(row_start), span_of(score), span_of(loss), scale, span_of(risk),
                   span_of(slope), threads);
      },
      "batch"_a, "row_start"_a.noconvert(), "score"_a.noconvert(), "loss"_a.noconvert(), "scale"_a,
      "risk"_a.noconvert(), "slope"_a.noconvert(), "threads"_a = 1, Release(),
      "The expected loss of each forest, and its derivative by the score of each row of features.");
  m.def(
      "hope_and_fear",
      [](const BatchHandle& b, std::int64_t number, In<double> theta, In<double> gain,
         double scale) {
        check_size("theta", theta.size(), b.theta_size);
        check_rows("forest", std::span(&number, 1), b.batch.size());
        check_size("gain", gain.size(), b.forests[static_cast<std::size_t>(number)].edges());
        HopeAndFear found;
        {
          nb::gil_scoped_release release;
          found = hope_and_fear(b.batch, number, span_of(theta), span_of(gain), scale);
        }
        return std::pair(to_numpy(std::move(found.hope)), to_numpy(std::move(found.fear)));
      },
      "batch"_a, "number"_a, "theta"_a.noconvert(), "gain"_a.noconvert(), "scale"_a,
      "Edges (rows of features) of the best derivations by score plus and less the gain.");
  m.def(
      "feature_difference",
      [](const FeatureHandle& features, In<Offset> more, In<Offset> less) {
        const auto rows = static_cast<std::int64_t>(features.start.size()) - 1;
        check_rows("row", span_of(more), rows);
        check_rows("row", span_of(less), rows);
        auto found = feature_difference(features.view, span_of(more), span_of(less));
        return std::pair(to_numpy(std::move(found.id)), to_numpy(std::move(found.value)));
      },
      "features"_a, "more"_a.noconvert(), "less"_a.noconvert(),
      "Places in theta, ascending, and values of the features of rows `more` less rows `less`.");
  m.def(
      "upper_envelopes",
      [](const BatchHandle& b, In<double> intercept, In<double> slope, int threads) {
        check_size("intercept", intercept.size(), b.edges());
        check_size("slope", slope.size(), b.edges());
        Envelopes found;
        {
          nb::gil_scoped_release release;
          found = upper_envelopes(b.batch, span_of(intercept), span_of(slope), threads);
        }
        return std::tuple(to_numpy(std::move(found.line_start)), to_numpy(std::move(found.begin)),
                          to_numpy(std::move(found.derivation_start)),
                          to_numpy(std::move(found.edge)));
      },
      "batch"_a, "intercept"_a.noconvert(), "slope"_a.noconvert(), "threads"_a = 1,
      "Lines that are highest somewhere: offsets by forest, where each begins, offsets of "
      "derivations, their edges.");
  m.def(
      "line_search",
      [](In<Offset> line_start, In<double> begin, In<Offset> row, In2<double> statistics,
         const MetricScorer& scorer, double lower, double upper, double min_width) {
        check_starts(span_of(line_start), begin.size());
        check_size("row", row.size(), begin.size());
        check_size("a row of statistics", statistics.shape(1),
                   static_cast<std::size_t>(scorer.width()));
        check_rows("row", span_of(row), static_cast<std::int64_t>(statistics.shape(0)));
        if (!(lower < 0.0 && 0.0 < upper))
          fail<TuningError>("argument.range", "a line search goes from below 0 to above 0");
        const auto best = line_search(span_of(line_start), span_of(begin), span_of(row),
                                      span_of(statistics), scorer, {lower, upper, min_width});
        return std::tuple(best.x, best.gain, best.before);
      },
      "line_start"_a.noconvert(), "begin"_a.noconvert(), "row"_a.noconvert(),
      "statistics"_a.noconvert(), "scorer"_a, "lower"_a, "upper"_a, "min_width"_a, Release(),
      "The best place on the line, the gain there, and the gain at 0.");
  m.def(
      "mira_pass",
      [](In<Offset> start, const FeatureHandle& features, In2<double> statistics,
         const MetricScorer& scorer, In<std::int64_t> order,
         std::tuple<double, double, double> settings, Out<double> theta, Out<double> drift,
         Out<double> background, std::int64_t steps) {
        const auto rows = features.start.size() - 1;
        check_starts(span_of(start), rows);
        check_size("statistics", statistics.shape(0), rows);
        const auto width = static_cast<std::size_t>(scorer.width());
        check_size("a row of statistics", statistics.shape(1), width);
        check_size("background", background.size(), width);
        check_rows("list", span_of(order), static_cast<std::int64_t>(start.size()) - 1);
        const auto size = static_cast<std::size_t>(features.view.width + features.sparse_features);
        check_size("theta", theta.size(), size);
        check_size("drift", drift.size(), size);
        const auto [step, decay, gain_scale] = settings;
        MiraState state{span_of(theta), span_of(drift), span_of(background), steps};
        return mira_pass({span_of(start), features.view, span_of(statistics)}, scorer,
                         span_of(order), {step, decay, gain_scale}, state);
      },
      "start"_a.noconvert(), "features"_a, "statistics"_a.noconvert(), "scorer"_a,
      "order"_a.noconvert(), "settings"_a, "theta"_a.noconvert(), "drift"_a.noconvert(),
      "background"_a.noconvert(), "steps"_a, Release(),
      "One pass of MIRA in this order; `settings` are C, decay and the scale of gains. Returns how "
      "many lists moved theta.");
  m.def(
      "l1_pass",
      [](const FeatureHandle& difference, In<std::int64_t> order, bool hinge,
         std::tuple<double, double, double> settings, Out<double> theta, Out<double> paid,
         double owed, std::int64_t steps) {
        const auto rows = static_cast<std::int64_t>(difference.start.size()) - 1;
        check_rows("row", span_of(order), rows);
        const auto size =
            static_cast<std::size_t>(difference.view.width + difference.sparse_features);
        check_size("theta", theta.size(), size);
        check_size("paid", paid.size(), size);
        const auto [penalty, rate, decay] = settings;
        L1State state{span_of(theta), span_of(paid), owed, steps};
        const auto loss = hinge ? RankingLoss::hinge : RankingLoss::logistic;
        const double total =
            l1_pass(difference.view, span_of(order), {loss, penalty, rate, decay}, state);
        return std::pair(total, state.owed);
      },
      "difference"_a, "order"_a.noconvert(), "hinge"_a, "settings"_a, "theta"_a.noconvert(),
      "paid"_a.noconvert(), "owed"_a, "steps"_a, Release(),
      "One pass of descent on a ranking loss with a cumulative L1 penalty; `settings` are the "
      "penalty, the rate and its decay. Returns the sum of losses and what is now owed.");
}

}  // namespace rosewood::bind
