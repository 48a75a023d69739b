#include "reorder/dual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reorder/shuffle.hpp"
#include "reorder/softmax.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// One example at work: its scores, its α, and the α that a step would give it.
template <int K>
struct Visit {
  explicit Visit(int classes)
      : score(classes), log_alpha(classes), alpha(classes), log_next(classes), next(classes) {}

  int classes() const { return score.classes(); }

  void read(const double* row) {
    for (int k = 0; k < classes(); ++k) log_alpha[k] = row[k];
  }

  /// How much the gradients of the classes differ: 0 at the optimum (eq. 12, 16). Terms that all
  /// classes share are left out.
  double spread() const {
    double most = log_alpha[0] - score[0], least = most;
    for (int k = 1; k < classes(); ++k) {
      const double g = log_alpha[k] - score[k];
      most = g > most ? g : most;
      least = g < least ? g : least;
    }
    return most - least;
  }

  void find_alpha() {
    for (int k = 0; k < score.columns(); ++k) alpha[k] = exp_of_negative(log_alpha[k]);
  }

  /// D(next) − D(α) (eq. 13); `curvature` is σ²|φ|².
  double change(double curvature) const {
    double sum = 0.0;
    for (int k = 0; k < classes(); ++k) {
      const double d = next[k] - alpha[k];
      sum +=
          next[k] * log_next[k] - alpha[k] * log_alpha[k] - d * score[k] + 0.5 * curvature * d * d;
    }
    return sum;
  }

  /// Exponentiated gradient (eq. 11) with η = 1/2, halved until D falls.
  bool halve(double curvature, int trials) {
    double eta = 0.5;
    for (int trial = 0; trial < trials; ++trial, eta *= 0.5) {
      for (int k = 0; k < classes(); ++k) log_next[k] = (1.0 - eta) * log_alpha[k] + eta * score[k];
      normalise<K>(log_next, next);
      if (change(curvature) <= 0.0) return true;
    }
    return false;
  }

  /// Newton's method for log next_k + curvature·next_k = score_k + curvature·α_k − ν, Σ next = 1:
  /// the α of this example that make D smallest.
  bool solve(double curvature, int trials, double enough) {
    for (int k = 0; k < classes(); ++k) {
      log_next[k] = log_alpha[k];
      next[k] = alpha[k];
    }
    for (int trial = 0; trial < trials; ++trial) {
      ClassNumbers<K> off(score.count), rate(score.count);
      double rates = 0.0, offs = 0.0, sum = 0.0;
      for (int k = 0; k < score.columns(); ++k)
        off[k] = log_next[k] - score[k] + curvature * (next[k] - alpha[k]);
      for (int k = 0; k < score.columns(); ++k) rate[k] = 1.0 / (1.0 + curvature * next[k]);
      for (int k = 0; k < classes(); ++k) {
        rates += next[k] * rate[k];
        offs += next[k] * rate[k] * off[k];
        sum += next[k];
      }
      const double shift = (offs + (1.0 - sum)) / rates;
      double most = off[0], least = off[0];
      for (int k = 1; k < classes(); ++k) {
        most = off[k] > most ? off[k] : most;
        least = off[k] < least ? off[k] : least;
      }
      if (trial > 0 && most - least <= enough && std::abs(sum - 1.0) < 1e-3) break;
      for (int k = 0; k < classes(); ++k) {
        const double moved = log_next[k] - rate[k] * (off[k] - shift);
        log_next[k] = moved < 0.0 ? moved : 0.0;  // no α is above 1
      }
      for (int k = 0; k < score.columns(); ++k) next[k] = exp_of_negative(log_next[k]);
    }
    normalise<K>(log_next, next);
    return change(curvature) <= 0.0;
  }

  /// The same by search between bounds of ν, for examples whose curvature is too strong for
  /// Newton's method: Σ next falls as ν rises, and is at least 1 at `low`, at most 1 at `high`.
  bool search(double curvature) {
    ClassNumbers<K> wanted(score.count);
    for (int k = 0; k < classes(); ++k) wanted[k] = score[k] + curvature * alpha[k];
    double most = wanted[0];
    for (int k = 1; k < classes(); ++k) most = wanted[k] > most ? wanted[k] : most;
    double low = most - curvature, high = most + std::log(classes()) - curvature / classes();
    double nu = 0.5 * (low + high);
    for (int trial = 0; trial < 100; ++trial) {
      double sum = 0.0, slope = 0.0;
      for (int k = 0; k < classes(); ++k) {
        log_next[k] = log_of_part(wanted[k] - nu, curvature);
        next[k] = exp_of_negative(log_next[k]);
        sum += next[k];
        slope += next[k] / (1.0 + curvature * next[k]);
      }
      (sum >= 1.0 ? low : high) = nu;
      if (std::abs(sum - 1.0) < 1e-14 || !(high - low > 1e-15 * std::abs(nu))) break;
      const double newton = nu + (sum - 1.0) / slope;
      nu = newton > low && newton < high ? newton : 0.5 * (low + high);
    }
    normalise<K>(log_next, next);
    return change(curvature) <= 0.0;
  }

  /// x <= 0 of x + curvature·exp(x) = wanted <= curvature. Newton's method from above the root of a
  /// convex function comes down to it.
  static double log_of_part(double wanted, double curvature) {
    double x = wanted < 0.0 ? wanted : 0.0;
    for (int trial = 0; trial < 60; ++trial) {
      const double part = curvature * exp_of_negative(x);
      const double step = (x + part - wanted) / (1.0 + part);
      x = x - step < 0.0 ? x - step : 0.0;
      if (std::abs(step) <= 1e-15 * std::abs(x) + 1e-300) break;
    }
    return x;
  }

  ClassNumbers<K> score, log_alpha, alpha, log_next, next;
};

constexpr std::int64_t see_start = 48, see_features = 24, see_weights = 8;

template <int K, class Count>
PassCounts pass_block(const DualProblem& problem, const DualSettings& settings,
                      const DualState& state, double* weight, Count count, std::int64_t pass,
                      std::int64_t block, std::vector<std::int32_t>& order) {
  const ExampleView& x = problem.examples;
  const int classes = problem.classes;
  const std::int64_t begin = block * settings.block;
  const std::int64_t end = std::min(begin + settings.block, x.size());
  order.clear();
  for (std::int64_t i = begin; i < end; ++i)
    if (state.active[i]) order.push_back(static_cast<std::int32_t>(i - begin));
  shuffle(std::span(order), generator_of(settings.seed, pass, block));

  const auto n = static_cast<std::int64_t>(order.size());
  const double scale = problem.sigma2 * settings.shards;
  Visit<K> visit(classes);
  ClassNumbers<K> step(classes);
  PassCounts counts{n, n, 0};
  for (std::int64_t j = 0; j < n; ++j) {
    if (j + see_start < n) {
      const std::int64_t i = begin + order[j + see_start];
      prefetch_to_read(&x.start[i]);
      prefetch_to_write(&state.log_alpha[i * classes]);
    }
    if (j + see_features < n) {
      const auto at = x.start[begin + order[j + see_features]];
      prefetch_to_read(x.feature.data() + at);
      prefetch_to_read(x.feature.data() + at + 8);
    }
    if (j + see_weights < n)
      prefetch_example(x, weight, visit.score.columns(), begin + order[j + see_weights]);

    const std::int64_t i = begin + order[j];
    const double curvature = scale * score_example<K>(x, count, weight, i, visit.score);
    double* row = &state.log_alpha[i * classes];
    visit.read(row);
    const double spread = visit.spread();
    if (spread <= settings.shrink) {
      state.active[i] = 0;
      --counts.remained;
      continue;
    }
    visit.find_alpha();
    bool falls = false;
    const bool is_exact = settings.step == DualStep::exact;
    if (is_exact)
      falls = visit.solve(curvature, settings.trials, 0.3 * spread) || visit.search(curvature);
    if (!falls) falls = visit.halve(curvature, settings.trials);
    if (!falls) {
      ++counts.stuck;
      if (is_exact) {  // it is as good as numbers allow: wait until all are checked again
        state.active[i] = 0;
        --counts.remained;
      }
      continue;
    }
    for (int k = 0; k < visit.classes(); ++k) {
      row[k] = visit.log_next[k];
      step[k] = scale * (visit.alpha[k] - visit.next[k]);  // eq. 14
    }
    add_example<K>(x, count, weight, i, step);
  }
  return counts;
}

template <int K, class Count>
void weigh_block(const DualProblem& problem, const DualSettings& settings,
                 std::span<const double> log_alpha, double* weight, Count count,
                 std::int64_t block) {
  const ExampleView& x = problem.examples;
  const std::int64_t begin = block * settings.block;
  const std::int64_t end = std::min(begin + settings.block, x.size());
  Visit<K> visit(problem.classes);
  ClassNumbers<K> step(problem.classes);
  for (std::int64_t i = begin; i < end; ++i) {
    if (i + see_weights < end) prefetch_example(x, weight, visit.score.columns(), i + see_weights);
    visit.read(&log_alpha[i * problem.classes]);
    visit.find_alpha();
    for (int k = 0; k < visit.classes(); ++k)
      step[k] = problem.sigma2 * ((k == problem.label[i] ? 1.0 : 0.0) - visit.alpha[k]);
    add_example<K>(x, count, weight, i, step);
  }
}

template <int K, class Count>
DualSums check_block(const DualProblem& problem, const DualSettings& settings,
                     std::span<const double> log_alpha, const double* weight, Count count,
                     std::span<std::uint8_t> active, std::int64_t block) {
  const ExampleView& x = problem.examples;
  const std::int64_t begin = block * settings.block;
  const std::int64_t end = std::min(begin + settings.block, x.size());
  Visit<K> visit(problem.classes);
  DualSums sums;
  for (std::int64_t i = begin; i < end; ++i) {
    if (i + see_weights < end) prefetch_example(x, weight, visit.score.columns(), i + see_weights);
    score_example<K>(x, count, weight, i, visit.score);
    visit.read(&log_alpha[i * problem.classes]);
    active[i] = visit.spread() > settings.shrink;
    sums.violating += active[i];
    visit.find_alpha();
    for (int k = 0; k < visit.classes(); ++k) visit.log_next[k] = visit.score[k];
    normalise<K>(visit.log_next, visit.next);
    double entropy = 0.0, divergence = 0.0;
    for (int k = 0; k < visit.classes(); ++k) {
      entropy += visit.alpha[k] * visit.log_alpha[k];
      divergence += visit.alpha[k] * (visit.log_alpha[k] - visit.log_next[k]);
    }
    sums.loss -= visit.log_next[problem.label[i]];
    sums.entropy += entropy;
    sums.gap += std::max(divergence, 0.0);  // below 0 by rounding alone
  }
  return sums;
}

/// Calls body(K, count) with the constants of the problem.
template <class Body>
void with_problem(const DualProblem& problem, Body&& body) {
  with_counts(problem.examples,
              [&](auto count) { with_classes(problem.classes, [&](auto k) { body(k, count); }); });
}

std::int64_t rows_size(const DualProblem& problem) {
  return problem.examples.num_features * row_width(problem.classes);
}

struct Nothing {};

}  // namespace

PassCounts dual_pass(const DualProblem& problem, const DualSettings& settings,
                     const DualState& state, std::int64_t pass, std::int64_t first,
                     std::int64_t last, int threads) {
  std::vector<PassCounts> counts(static_cast<std::size_t>(settings.shards));
  with_problem(problem, [&](auto k_constant, auto count) {
    constexpr int K = decltype(k_constant)::value;
    parallel_blocks(
        settings.shards, threads, [] { return std::vector<std::int32_t>(); },
        [&](std::vector<std::int32_t>& order, std::int64_t s) {
          const auto shard = static_cast<int>(s);
          std::vector<std::int64_t> blocks(
              static_cast<std::size_t>(blocks_of_shard(problem.examples.size(), settings, shard)));
          for (std::size_t j = 0; j < blocks.size(); ++j)
            blocks[j] = s + static_cast<std::int64_t>(j) * settings.shards;
          shuffle(std::span(blocks), generator_of(settings.seed, pass, -1 - s));
          double* weight = state.weight.data() + s * rows_size(problem);
          auto& sum = counts[static_cast<std::size_t>(s)];
          for (auto j = first; j < std::min(last, static_cast<std::int64_t>(blocks.size())); ++j) {
            const auto more = pass_block<K>(problem, settings, state, weight, count, pass,
                                            blocks[static_cast<std::size_t>(j)], order);
            sum.visited += more.visited;
            sum.remained += more.remained;
            sum.stuck += more.stuck;
          }
        });
  });
  PassCounts total;
  for (const auto& each : counts) {
    total.visited += each.visited;
    total.remained += each.remained;
    total.stuck += each.stuck;
  }
  return total;
}

void merge_shards(std::span<double> before, std::span<double> weight, int shards, int threads) {
  const auto n = static_cast<std::int64_t>(before.size());
  const double part = 1.0 / shards;
  parallel_for(n, threads, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double sum = before[i];
      for (int s = 0; s < shards; ++s) sum += part * (weight[s * n + i] - before[i]);
      before[i] = sum;
      for (int s = 0; s < shards; ++s) weight[s * n + i] = sum;
    }
  });
}

void dual_weights(const DualProblem& problem, const DualSettings& settings,
                  std::span<const double> log_alpha, std::span<double> weight, std::int64_t first,
                  std::int64_t last, int threads) {
  const auto size = rows_size(problem);
  with_problem(problem, [&](auto k_constant, auto count) {
    constexpr int K = decltype(k_constant)::value;
    parallel_blocks(
        settings.shards, threads, [] { return Nothing{}; },
        [&](Nothing&, std::int64_t s) {
          double* own = weight.data() + s * size;
          const auto blocks =
              blocks_of_shard(problem.examples.size(), settings, static_cast<int>(s));
          for (std::int64_t j = first; j < std::min(last, blocks); ++j)
            weigh_block<K>(problem, settings, log_alpha, own, count, s + j * settings.shards);
        });
  });
}

void add_shards(std::span<double> weight, int shards, int threads) {
  const auto n = static_cast<std::int64_t>(weight.size()) / shards;
  parallel_for(n, threads, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (int s = 1; s < shards; ++s) weight[i] += weight[s * n + i];
      for (int s = 1; s < shards; ++s) weight[s * n + i] = weight[i];
    }
  });
}

DualSums dual_check(const DualProblem& problem, const DualSettings& settings,
                    std::span<const double> log_alpha, std::span<const double> weight,
                    std::span<std::uint8_t> active, std::int64_t first, std::int64_t last,
                    int threads) {
  const auto blocks = (problem.examples.size() + settings.block - 1) / settings.block;
  const auto here = std::max<std::int64_t>(0, std::min(last, blocks) - first);
  std::vector<DualSums> sums(static_cast<std::size_t>(here));
  with_problem(problem, [&](auto k_constant, auto count) {
    constexpr int K = decltype(k_constant)::value;
    parallel_blocks(
        here, threads, [] { return Nothing{}; },
        [&](Nothing&, std::int64_t j) {
          sums[static_cast<std::size_t>(j)] =
              check_block<K>(problem, settings, log_alpha, weight.data(), count, active, first + j);
        });
  });
  DualSums total;
  for (const auto& each : sums) {
    total.loss += each.loss;
    total.entropy += each.entropy;
    total.gap += each.gap;
    total.violating += each.violating;
  }
  return total;
}

void start_alpha(const DualProblem& problem, double epsilon, std::span<double> log_alpha) {
  const int classes = problem.classes;
  const double own = std::log1p(-epsilon), other = std::log(epsilon / (classes - 1));
  for (std::int64_t i = 0; i < problem.examples.size(); ++i)
    for (int k = 0; k < classes; ++k)
      log_alpha[i * classes + k] = k == problem.label[i] ? own : other;
}

}  // namespace rosewood
