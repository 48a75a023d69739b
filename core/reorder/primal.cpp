#include "reorder/primal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reorder/shuffle.hpp"
#include "reorder/softmax.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr double largest = 1e12;  // of a divisor, before it goes into the rows
constexpr std::int64_t see_start = 48, see_features = 24, see_weights = 8, loss_block = 1 << 14;

/// Puts scales into the rows: w = row, average = sum.
void settle(PrimalState& state, int columns) {
  const double w = 1.0 / state.divisor, a = 1.0 / state.count;
  for (std::size_t at = 0; at < state.rows.size(); at += static_cast<std::size_t>(2 * columns))
    for (int k = 0; k < columns; ++k) {
      double& row = state.rows[at + static_cast<std::size_t>(k)];
      double& sum = state.rows[at + static_cast<std::size_t>(columns + k)];
      sum = (sum + state.share * row) * a;
      row *= w;
    }
  state.divisor = state.count = 1.0;
  state.share = 0.0;
}

/// The average begins anew, and is the weights.
void begin_average(PrimalState& state, int columns) {
  settle(state, columns);
  for (std::size_t at = 0; at < state.rows.size(); at += static_cast<std::size_t>(2 * columns))
    for (int k = 0; k < columns; ++k) state.rows[at + static_cast<std::size_t>(columns + k)] = 0.0;
  state.share = 1.0;
}

template <int K, class Count>
void pass_block(const PrimalProblem& problem, const PrimalSettings& settings, PrimalState& state,
                Count count, std::int64_t pass, std::int64_t block,
                std::vector<std::int32_t>& order) {
  const ExampleView& x = problem.examples;
  const std::int64_t begin = block * settings.block;
  const std::int64_t n = std::min(settings.block, x.size() - begin);
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span(order), generator_of(settings.seed, pass, block));

  ClassNumbers<K> score(problem.classes), probability(problem.classes), step(problem.classes);
  const int columns = score.columns();
  double* rows = state.rows.data();
  for (std::int64_t j = 0; j < n; ++j) {
    if (j + see_start < n) prefetch_to_read(&x.start[begin + order[j + see_start]]);
    if (j + see_features < n)
      prefetch_to_read(x.feature.data() + x.start[begin + order[j + see_features]]);
    if (j + see_weights < n) prefetch_example(x, rows, 2 * columns, begin + order[j + see_weights]);
    if (state.steps == settings.average_from) begin_average(state, columns);
    if (state.divisor > largest || state.count > largest) settle(state, columns);

    const std::int64_t i = begin + order[j];
    for (int k = 0; k < columns; ++k) score[k] = 0.0;
    for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
      const double c = count(at);
      const double* row = rows + static_cast<std::int64_t>(x.feature[at]) * 2 * columns;
      for (int k = 0; k < columns; ++k) score[k] += c * row[k];
    }
    const double scale = 1.0 / state.divisor;
    for (int k = 0; k < columns; ++k) score[k] *= scale;
    normalise<K>(score, probability);

    const double t = static_cast<double>(state.steps);
    // (1 + λη0t)^(−3/4) with two square roots.
    const double root = std::sqrt(1.0 + problem.lambda * settings.rate * t);
    const double eta = settings.rate / (root * std::sqrt(root));
    // The penalty as in its proximal step: no rate makes weights change their sign.
    state.divisor *= 1.0 + eta * problem.lambda;
    for (int k = 0; k < score.classes(); ++k)
      step[k] = eta * state.divisor * ((k == problem.label[i] ? 1.0 : 0.0) - probability[k]);
    const bool averages = state.steps >= settings.average_from;
    for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
      const double c = count(at);
      double* row = rows + static_cast<std::int64_t>(x.feature[at]) * 2 * columns;
      for (int k = 0; k < columns; ++k) row[k] += c * step[k];
      if (averages)
        for (int k = 0; k < columns; ++k) row[columns + k] -= state.share * c * step[k];
    }
    ++state.steps;
    if (averages) {
      const double mu = 1.0 / static_cast<double>(state.steps - settings.average_from + 1);
      state.count /= 1.0 - mu;
      state.share += mu * state.count / state.divisor;
    }
  }
}

}  // namespace

void primal_pass(const PrimalProblem& problem, const PrimalSettings& settings, PrimalState& state,
                 std::int64_t pass, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> blocks(
      static_cast<std::size_t>((problem.examples.size() + settings.block - 1) / settings.block));
  std::iota(blocks.begin(), blocks.end(), 0);
  shuffle(std::span(blocks), generator_of(settings.seed, pass, -1));
  std::vector<std::int32_t> order;
  with_counts(problem.examples, [&](auto count) {
    with_classes(problem.classes, [&](auto k_constant) {
      constexpr int K = decltype(k_constant)::value;
      for (auto j = first; j < std::min(last, static_cast<std::int64_t>(blocks.size())); ++j)
        pass_block<K>(problem, settings, state, count, pass, blocks[static_cast<std::size_t>(j)],
                      order);
    });
  });
}

void primal_weights(const PrimalState& state, int classes, bool average, std::span<double> weight) {
  const auto columns = static_cast<std::size_t>(row_width(classes));
  for (std::size_t at = 0; at < weight.size(); ++at) {
    const std::size_t row = at / columns * 2 * columns + at % columns;
    weight[at] = average ? (state.rows[row + columns] + state.share * state.rows[row]) / state.count
                         : state.rows[row] / state.divisor;
  }
}

double log_loss(const PrimalProblem& problem, std::span<const double> weight, int threads) {
  const ExampleView& x = problem.examples;
  const std::int64_t blocks = (x.size() + loss_block - 1) / loss_block;
  std::vector<double> sums(static_cast<std::size_t>(blocks), 0.0);
  with_counts(x, [&](auto count) {
    with_classes(problem.classes, [&](auto k_constant) {
      constexpr int K = decltype(k_constant)::value;
      parallel_for(blocks, threads, 1, [&](std::int64_t first, std::int64_t last) {
        ClassNumbers<K> score(problem.classes), probability(problem.classes);
        for (auto block = first; block < last; ++block) {
          const auto end = std::min((block + 1) * loss_block, x.size());
          for (auto i = block * loss_block; i < end; ++i) {
            if (i + 8 < end) prefetch_example(x, weight.data(), score.columns(), i + 8);
            score_example<K>(x, count, weight.data(), i, score);
            normalise<K>(score, probability);
            sums[static_cast<std::size_t>(block)] -= score[problem.label[i]];
          }
        }
      });
    });
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace rosewood
