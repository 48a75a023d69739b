// bind/oscar.cpp: groups of features: OSCAR's proximal step, from scratch and online.
#include "learn/oscar.hpp"

#include <cmath>

#include "bind.hpp"
#include "learn/oscar_prox.hpp"

namespace rosewood::bind {

namespace {

using Penalty = std::tuple<double, double, double>;

OscarPenalty penalty_of(const Penalty& given) {
  const auto [lambda1, lambda2, dimension] = given;
  if (!(lambda1 >= 0.0) || !(lambda2 >= 0.0) || !std::isfinite(lambda1) || !std::isfinite(lambda2))
    fail<TuningError>({"argument.range", "penalty"}, "λ1 and λ2 must be finite and not negative");
  return {lambda1, lambda2, dimension};
}

void check_weights(const char* what, std::span<const double> weights, double dimension) {
  std::int64_t active = 0;
  for (const double weight : weights) {
    if (!std::isfinite(weight))
      fail<TuningError>({"argument.range", what}, what, " has a number that is not finite");
    active += weight != 0.0;
  }
  if (static_cast<double>(active) > dimension)
    fail<TuningError>({"argument.range", "dimension", active}, active,
                      " numbers other than zero are more than the dimension");
}

void check_order(const FeatureHandle& difference, std::span<const std::int64_t> order) {
  const auto rows = static_cast<std::int64_t>(difference.start.size()) - 1;
  for (const auto row : order)
    if (row < 0 || row >= rows)
      fail<TuningError>({"argument.range", "order", row}, "row ", row,
                        " is out of range: there are ", rows);
}

/// A pass, and how many features of each kind its tables must have.
struct PassHandle {
  OscarPass pass;
  std::int64_t dense, sparse;
};

void make_pass(PassHandle* made, Penalty penalty, std::int64_t batch, std::int64_t dense,
               In<double> weight, In<double> sum, std::pair<std::int64_t, std::int64_t> steps) {
  const OscarPenalty checked = penalty_of(penalty);
  check_size("sum", sum.size(), weight.size());
  const auto size = static_cast<std::int64_t>(weight.size());
  if (batch < 1) fail<TuningError>({"argument.range", "batch", batch}, "batches must not be empty");
  if (dense < 0 || dense > size)
    fail<TuningError>({"argument.range", "dense", dense}, "there are ", size, " weights");
  check_weights("weight", span_of(weight).subspan(static_cast<std::size_t>(dense)),
                checked.dimension);
  const OscarState start{{weight.data(), weight.data() + size},
                         {sum.data(), sum.data() + size},
                         steps.first,
                         steps.second};
  new (made) PassHandle{OscarPass({checked, batch}, dense, start), dense, size - dense};
}

}  // namespace

void bind_oscar(nb::module_& m) {
  m.def(
      "oscar_prox",
      [](In<double> a, double step, Penalty penalty, Out<double> weight) {
        check_size("weight", weight.size(), a.size());
        const OscarPenalty checked = penalty_of(penalty);
        check_weights("a", span_of(a), checked.dimension);
        if (!(step > 0.0))
          fail<TuningError>({"argument.range", "step"}, "the step must be above zero");
        nb::gil_scoped_release release;
        oscar_prox(span_of(a), step, checked, span_of(weight));
      },
      "a"_a.noconvert(), "step"_a, "penalty"_a, "weight"_a.noconvert(),
      "The proximal step of OSCAR from scratch; `penalty` is λ1, λ2 and the dimension.");

  nb::class_<OscarWeights>(m, "OscarWeights", "Weights that shrink under OSCAR's penalty.")
      .def(
          "__init__",
          [](OscarWeights* self, Penalty penalty, In<double> weight) {
            const OscarPenalty checked = penalty_of(penalty);
            check_weights("weight", span_of(weight), checked.dimension);
            new (self) OscarWeights(checked, span_of(weight));
          },
          "penalty"_a, "weight"_a.noconvert())
      .def(
          "step",
          [](OscarWeights& self, In<std::int64_t> id, In<double> change, double eta) {
            check_size("change", change.size(), id.size());
            check_weights("change", span_of(change), static_cast<double>(change.size()));
            for (const auto each : span_of(id))
              if (each < 0 || each >= self.size())
                fail<TuningError>({"argument.range", "id", each}, "there is no feature ", each);
            if (!(eta >= 0.0))
              fail<TuningError>({"argument.range", "eta"}, "a step size must not be negative");
            nb::gil_scoped_release release;
            self.add(span_of(id), span_of(change));
            self.shrink(eta);
          },
          "id"_a.noconvert(), "change"_a.noconvert(), "eta"_a,
          "Adds to weights, then makes the proximal step of size eta.")
      .def(
          "write",
          [](OscarWeights& self, Out<double> weight, Out<double> sum) {
            check_size("weight", weight.size(), static_cast<std::size_t>(self.size()));
            check_size("sum", sum.size(), static_cast<std::size_t>(self.size()));
            self.write(span_of(weight), span_of(sum));
          },
          "weight"_a.noconvert(), "sum"_a.noconvert(), Release(),
          "All weights, and their sums after each step.")
      .def_prop_ro("blocks", &OscarWeights::blocks, "Distinct sizes of weights other than zero.");

  nb::class_<PassHandle>(m, "OscarPass", "A pass of online learning over rows of tables.")
      .def("__init__", &make_pass, "penalty"_a, "batch"_a, "dense"_a, "weight"_a.noconvert(),
           "sum"_a.noconvert(), "steps"_a)
      .def(
          "run",
          [](PassHandle& self, const FeatureHandle& difference, In<std::int64_t> order) {
            check_size("dense", static_cast<std::size_t>(difference.view.width),
                       static_cast<std::size_t>(self.dense));
            check_size("sparse", static_cast<std::size_t>(difference.sparse_features),
                       static_cast<std::size_t>(self.sparse));
            check_order(difference, span_of(order));
            return self.pass.run(difference.view, span_of(order));
          },
          "difference"_a, "order"_a.noconvert(), Release(),
          "Half-steps on the hinge loss of these rows; returns the sum of losses before each.")
      .def(
          "finish",
          [](PassHandle& self) {
            OscarState state = self.pass.finish();
            return std::tuple(to_numpy(std::move(state.weight)), to_numpy(std::move(state.sum)),
                              std::pair(state.half_steps, state.steps));
          },
          "Weights, their sums after each proximal step, and how many half-steps and proximal "
          "steps "
          "there were.")
      .def_prop_ro(
          "blocks", [](const PassHandle& self) { return self.pass.blocks(); },
          "Distinct sizes of sparse weights other than zero.");
}

}  // namespace rosewood::bind
