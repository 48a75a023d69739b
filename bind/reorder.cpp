// bind/reorder.cpp: classifiers of orientations and the examples that they learn from.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>

#include "bind.hpp"
#include "reorder/counts.hpp"
#include "reorder/dual.hpp"
#include "reorder/examples.hpp"
#include "reorder/primal.hpp"

namespace rosewood::bind {

namespace {

/// The arrays of examples, kept alive, and the view kernels take.
struct ExamplesHandle {
  In<std::int64_t> start;
  In<std::int32_t> feature;
  In<std::uint8_t> count;
  In<float> value;
  ExampleView view;

  std::size_t size() const { return start.size() - 1; }
  std::size_t weights(int classes) const {
    return static_cast<std::size_t>(view.num_features * row_width(classes));
  }
};

ExamplesHandle make_examples(In<std::int64_t> start, In<std::int32_t> feature,
                             In<std::uint8_t> count, In<float> value, std::int64_t num_features,
                             bool is_checked, int threads) {
  const ExampleView view{span_of(start), span_of(feature), span_of(count), span_of(value),
                         num_features};
  if (!is_checked) {
    nb::gil_scoped_release release;
    check_examples(view, threads);
  }
  return {start, feature, count, value, view};
}

void check_classes(int classes) {
  if (classes < 2 || classes > max_classes)
    fail<ReorderingError>({"argument.range", "classes", classes}, "classes is ", classes,
                          ", expected 2 to ", max_classes);
}

/// The examples, labels and settings of a problem, kept alive.
struct DualHandle {
  ExamplesHandle examples;
  In<std::uint8_t> label;
  DualProblem problem;
  DualSettings settings;

  void check(std::size_t log_alpha, std::size_t active, std::size_t weight) const {
    const auto classes = static_cast<std::size_t>(problem.classes);
    check_size("log_alpha", log_alpha, examples.size() * classes);
    check_size("active", active, examples.size());
    check_size("weight", weight,
               examples.weights(problem.classes) * static_cast<std::size_t>(settings.shards));
  }
};

DualHandle make_dual(const ExamplesHandle& examples, In<std::uint8_t> label, int classes,
                     double sigma2, int trials, bool is_exact, int shards, std::int64_t block,
                     std::uint64_t seed) {
  check_size("label", label.size(), examples.size());
  check_classes(classes);
  if (shards < 1 || block < 1 || block > (std::int64_t{1} << 31) - 1)
    fail<ReorderingError>({"argument.range", "shards"}, "shards and blocks must be at least 1");
  check_labels(span_of(label), classes);
  return {examples,
          label,
          {examples.view, span_of(label), classes, sigma2},
          {0.0, trials, is_exact ? DualStep::exact : DualStep::halving, shards, block, seed}};
}

/// What averaged descent carries from pass to pass.
struct PrimalHandle {
  ExamplesHandle examples;
  In<std::uint8_t> label;
  PrimalProblem problem;
  PrimalSettings settings;
  std::vector<double> rows;
  PrimalState state;
};

std::unique_ptr<PrimalHandle> make_primal(const ExamplesHandle& examples, In<std::uint8_t> label,
                                          int classes, double lambda, double rate,
                                          std::int64_t average_from, std::int64_t block,
                                          std::uint64_t seed) {
  check_size("label", label.size(), examples.size());
  check_classes(classes);
  check_labels(span_of(label), classes);
  auto made = std::make_unique<PrimalHandle>(
      PrimalHandle{examples,
                   label,
                   {examples.view, span_of(label), classes, lambda},
                   {rate, average_from, std::clamp<std::int64_t>(block, 1, 1 << 30), seed},
                   std::vector<double>(2 * examples.weights(classes)),
                   {}});
  made->state.rows = made->rows;
  return made;
}

}  // namespace

void bind_reorder(nb::module_& m) {
  nb::class_<ExamplesHandle>(m, "Examples", "Sparse examples in flat arrays.");
  m.def("row_width", &row_width, "classes"_a, "Numbers in a feature's row of weights.");
  m.def("make_examples", &make_examples, "start"_a.noconvert(), "feature"_a.noconvert(),
        "count"_a.noconvert(), "value"_a.noconvert(), "num_features"_a, "is_checked"_a = false,
        "threads"_a = 1,
        "The arrays are kept alive; they are checked unless that was done before.");
  m.def(
      "check_labels",
      [](In<std::uint8_t> label, int classes) { check_labels(span_of(label), classes); },
      "label"_a.noconvert(), "classes"_a, Release(),
      "Refuses labels that are not below `classes`.");
  m.def(
      "ordered_examples",
      [](In<std::int64_t> start, In<std::int32_t> feature, In<float> value,
         std::int64_t num_features) {
        if (value.size() != 0) check_size("value", value.size(), feature.size());
        const auto s = span_of(start);
        if (s.empty() || s.front() != 0 || s.back() != static_cast<std::int64_t>(feature.size()) ||
            !std::ranges::is_sorted(s))
          fail<ReorderingError>({"argument.shape", "start"}, "offsets must ascend from 0 to ",
                                feature.size());
        ExampleArrays made;
        {
          nb::gil_scoped_release release;
          made = ordered_examples(s, span_of(feature), span_of(value), num_features);
        }
        return std::tuple(to_numpy(std::move(made.start)), to_numpy(std::move(made.feature)),
                          to_numpy(std::move(made.value)));
      },
      "start"_a.noconvert(), "feature"_a.noconvert(), "value"_a.noconvert(), "num_features"_a,
      "Features in ascending order, repeated ones added up; no values if all are 1.");
  m.def(
      "gather_examples",
      [](const ExamplesHandle& x, In<std::int64_t> index, In<std::int64_t> start,
         Out<std::int32_t> feature, Out<std::uint8_t> count, Out<float> value, int threads) {
        check_size("start", start.size(), index.size() + 1);
        const auto all = static_cast<std::size_t>(span_of(start).back());
        check_size("feature", feature.size(), all);
        check_size("count", count.size(), x.count.size() ? all : 0);
        check_size("value", value.size(), x.value.size() ? all : 0);
        gather_examples(x.view, span_of(index), span_of(start), span_of(feature), span_of(count),
                        span_of(value), threads);
      },
      "examples"_a, "index"_a.noconvert(), "start"_a.noconvert(), "feature"_a.noconvert(),
      "count"_a.noconvert(), "value"_a.noconvert(), "threads"_a = 1, Release(),
      "Copies some examples to where `start` says.");
  m.def(
      "linear_log_probabilities",
      [](const ExamplesHandle& x, In<double> weight, int classes, Out<double> out, int threads) {
        check_classes(classes);
        check_size("weight", weight.size(), x.weights(classes));
        check_size("out", out.size(), x.size() * static_cast<std::size_t>(classes));
        linear_log_probabilities(x.view, span_of(weight), classes, span_of(out), threads);
      },
      "examples"_a, "weight"_a.noconvert(), "classes"_a, "out"_a.noconvert(), "threads"_a = 1,
      Release(), "Log probabilities of classes: a row for each example.");

  nb::class_<DualHandle>(m, "DualProblem", "Examples, labels and settings of the dual.")
      .def_prop_ro("blocks", [](const DualHandle& d) {
        return blocks_of_shard(d.examples.view.size(), d.settings, 0);
      });
  m.def("make_dual", &make_dual, "examples"_a, "label"_a.noconvert(), "classes"_a, "sigma2"_a,
        "trials"_a, "is_exact"_a, "shards"_a, "block"_a, "seed"_a,
        "Block b is of shard b modulo `shards`; `blocks` are those of the first shard.");
  m.def(
      "dual_start",
      [](const DualHandle& d, double epsilon, Out<double> log_alpha) {
        check_size("log_alpha", log_alpha.size(),
                   d.examples.size() * static_cast<std::size_t>(d.problem.classes));
        start_alpha(d.problem, epsilon, span_of(log_alpha));
      },
      "problem"_a, "epsilon"_a, "log_alpha"_a.noconvert(), Release(), "log α to begin with.");
  m.def(
      "dual_pass",
      [](const DualHandle& d, double shrink, Out<double> log_alpha, Out<std::uint8_t> active,
         Out<double> weight, std::int64_t pass, std::int64_t first, std::int64_t last,
         int threads) {
        d.check(log_alpha.size(), active.size(), weight.size());
        auto settings = d.settings;
        settings.shrink = shrink;
        const auto counts =
            dual_pass(d.problem, settings, {span_of(log_alpha), span_of(active), span_of(weight)},
                      pass, first, last, threads);
        return std::tuple(counts.visited, counts.remained, counts.stuck);
      },
      "problem"_a, "shrink"_a, "log_alpha"_a.noconvert(), "active"_a.noconvert(),
      "weight"_a.noconvert(), "pass_number"_a, "first"_a, "last"_a, "threads"_a = 1, Release(),
      "Visits the active examples of some blocks of each shard; returns how many were visited, how "
      "many stay active, and how many found no step.");
  m.def(
      "merge_shards",
      [](Out<double> before, Out<double> weight, int shards, int threads) {
        check_size("weight", weight.size(), before.size() * static_cast<std::size_t>(shards));
        merge_shards(span_of(before), span_of(weight), shards, threads);
      },
      "before"_a.noconvert(), "weight"_a.noconvert(), "shards"_a, "threads"_a = 1, Release(),
      "Adds the changes of all shards to the weights from before.");
  m.def(
      "dual_weights",
      [](const DualHandle& d, In<double> log_alpha, Out<double> weight, std::int64_t first,
         std::int64_t last, int threads) {
        d.check(log_alpha.size(), d.examples.size(), weight.size());
        dual_weights(d.problem, d.settings, span_of(log_alpha), span_of(weight), first, last,
                     threads);
      },
      "problem"_a, "log_alpha"_a.noconvert(), "weight"_a.noconvert(), "first"_a, "last"_a,
      "threads"_a = 1, Release(), "Adds the examples of some blocks of each shard to weights.");
  m.def(
      "add_shards",
      [](Out<double> weight, int shards, int threads) {
        check_size("weight", weight.size() % static_cast<std::size_t>(shards), 0);
        add_shards(span_of(weight), shards, threads);
      },
      "weight"_a.noconvert(), "shards"_a, "threads"_a = 1, Release(),
      "Gives all shards the sum of their weights.");
  m.def(
      "dual_check",
      [](const DualHandle& d, double shrink, In<double> log_alpha, In<double> weight,
         Out<std::uint8_t> active, std::int64_t first, std::int64_t last, int threads) {
        d.check(log_alpha.size(), active.size(),
                weight.size() * static_cast<std::size_t>(d.settings.shards));
        auto settings = d.settings;
        settings.shrink = shrink;
        const auto sums = dual_check(d.problem, settings, span_of(log_alpha), span_of(weight),
                                     span_of(active), first, last, threads);
        return std::tuple(sums.loss, sums.entropy, sums.gap, sums.violating);
      },
      "problem"_a, "shrink"_a, "log_alpha"_a.noconvert(), "weight"_a.noconvert(),
      "active"_a.noconvert(), "first"_a, "last"_a, "threads"_a = 1, Release(),
      "Loss, Σ α log α, the duality gap, and how many examples are active, of some blocks.");

  nb::class_<PrimalHandle>(m, "PrimalProblem", "Averaged descent, where it has come to.")
      .def_prop_ro("steps", [](const PrimalHandle& p) { return p.state.steps; });
  m.def("make_primal", &make_primal, "examples"_a, "label"_a.noconvert(), "classes"_a, "lambda_"_a,
        "rate"_a, "average_from"_a, "block"_a, "seed"_a,
        "Weights of zero; steps are averaged from step `average_from` on.");
  m.def(
      "primal_pass",
      [](PrimalHandle& p, std::int64_t pass, std::int64_t first, std::int64_t last) {
        primal_pass(p.problem, p.settings, p.state, pass, first, last);
      },
      "problem"_a, "pass_number"_a, "first"_a, "last"_a, Release(), "Visits some blocks.");
  m.def(
      "primal_weights",
      [](const PrimalHandle& p, bool average, Out<double> weight) {
        check_size("weight", weight.size(), p.examples.weights(p.problem.classes));
        primal_weights(p.state, p.problem.classes, average, span_of(weight));
      },
      "problem"_a, "average"_a, "weight"_a.noconvert(), Release(), "The weights or their average.");
  m.def(
      "log_loss",
      [](const ExamplesHandle& x, In<std::uint8_t> label, int classes, In<double> weight,
         int threads) {
        check_classes(classes);
        check_size("label", label.size(), x.size());
        check_size("weight", weight.size(), x.weights(classes));
        check_labels(span_of(label), classes);
        return log_loss({x.view, span_of(label), classes, 0.0}, span_of(weight), threads);
      },
      "examples"_a, "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(), "threads"_a = 1,
      Release(), "Log loss of a linear model, summed over examples.");

  m.def(
      "count_features",
      [](const ExamplesHandle& x, In<std::uint8_t> label, int classes, bool presence,
         Out<double> count, int threads) {
        check_classes(classes);
        check_size("label", label.size(), x.size());
        check_size(
            "count", count.size(),
            static_cast<std::size_t>(x.view.num_features) * static_cast<std::size_t>(classes));
        check_labels(span_of(label), classes);
        count_features(x.view, span_of(label), classes, presence, span_of(count), threads);
      },
      "examples"_a, "label"_a.noconvert(), "classes"_a, "presence"_a, "count"_a.noconvert(),
      "threads"_a = 1, Release(), "Adds what examples have of features, by class, to `count`.");
  m.def(
      "bayes_log_probabilities",
      [](const ExamplesHandle& x, In<double> weight, In<double> prior, In<double> counts,
         In<double> totals, double alpha, Out<double> out, int threads) {
        const auto classes = static_cast<int>(prior.size());
        check_classes(classes);
        check_size("weight", weight.size(), x.weights(classes));
        check_size("out", out.size(), x.size() * prior.size());
        check_size("totals", totals.size(), prior.size());
        if (counts.size() != 0)
          check_size("counts", counts.size(),
                     static_cast<std::size_t>(x.view.num_features) * prior.size());
        bayes_log_probabilities(
            x.view, {span_of(weight), span_of(prior), span_of(counts), span_of(totals), alpha},
            classes, span_of(out), threads);
      },
      "examples"_a, "weight"_a.noconvert(), "prior"_a.noconvert(), "counts"_a.noconvert(),
      "totals"_a.noconvert(), "alpha"_a, "out"_a.noconvert(), "threads"_a = 1, Release(),
      "Log probabilities of classes under naive Bayes; with `counts`, Dirichlet-multinomial.");
}

}  // namespace rosewood::bind
