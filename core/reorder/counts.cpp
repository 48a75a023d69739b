#include "reorder/counts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reorder/softmax.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t grain = 1 << 14, ahead = 64;

template <class Count>
void count_range(const ExampleView& x, const std::uint8_t* label, std::int64_t classes, Count count,
                 double* sums, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = x.start[end];
  for (std::int64_t i = begin; i < end; ++i) {
    double* own = sums + label[i];
    for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
      // The place of the class is unknown, but a row rarely lies in two cache lines.
      if (at + ahead < size)
        prefetch_to_write(sums + static_cast<std::int64_t>(x.feature[at + ahead]) * classes);
      own[static_cast<std::int64_t>(x.feature[at]) * classes] += count(at);
    }
  }
}

/// Σ_{j<L} log(total + j) for L = 0, 1, …, for each class.
std::vector<double> rising_logs(std::span<const double> totals, std::int64_t longest) {
  const std::size_t classes = totals.size();
  std::vector<double> logs((static_cast<std::size_t>(longest) + 1) * classes);
  for (std::int64_t length = 1; length <= longest; ++length)
    for (std::size_t k = 0; k < classes; ++k) {
      const auto at = static_cast<std::size_t>(length) * classes + k;
      logs[at] = logs[at - classes] + std::log(totals[k] + static_cast<double>(length - 1));
    }
  return logs;
}

/// The largest sum of counts of an example; throws where there are other numbers than whole ones.
template <class Count>
std::int64_t longest_example(const ExampleView& x, Count count) {
  constexpr double most = 1 << 24;
  double longest = 0.0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    double sum = 0.0;
    for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
      const double c = count(at);
      if (!(c >= 0.0) || c != std::floor(c) || (sum += c) > most)
        fail<ReorderingError>({"argument.value", "X", i}, "example ", i,
                              ": expected whole counts from 0, and fewer than ", 1 << 24);
    }
    longest = std::max(longest, sum);
  }
  return static_cast<std::int64_t>(longest);
}

}  // namespace

void count_features(const ExampleView& x, std::span<const std::uint8_t> label, int classes,
                    bool presence, std::span<double> count, int threads) {
  ExampleView view = x;
  if (presence) view.count = {}, view.value = {};
  const std::int64_t n = x.size();
  // Numbers of float are added in one order, others side by side.
  const std::int64_t parts =
      view.value.empty()
          ? std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(1, n / grain))
          : 1;
  std::vector<std::vector<double>> more(static_cast<std::size_t>(parts - 1));
  with_counts(view, [&](auto each) {
    parallel_for(parts, static_cast<int>(parts), 1, [&](std::int64_t first, std::int64_t last) {
      for (auto part = first; part < last; ++part) {
        double* sums = count.data();
        if (part > 0) {
          auto& own = more[static_cast<std::size_t>(part - 1)];
          own.resize(count.size());
          sums = own.data();
        }
        count_range(view, label.data(), classes, each, sums, n * part / parts,
                    n * (part + 1) / parts);
      }
    });
  });
  const auto size = static_cast<std::int64_t>(count.size());
  parallel_for(size, threads, grain, [&](std::int64_t begin, std::int64_t end) {
    for (const auto& own : more)
      for (auto i = begin; i < end; ++i) count[i] += own[static_cast<std::size_t>(i)];
  });
}

void bayes_log_probabilities(const ExampleView& x, const BayesModel& model, int classes,
                             std::span<double> log_probability, int threads) {
  with_counts(x, [&](auto count) {
    const bool is_full = !model.counts.empty();
    std::vector<double> rising;
    if (is_full) rising = rising_logs(model.totals, longest_example(x, count));
    with_classes(classes, [&](auto k_constant) {
      constexpr int K = decltype(k_constant)::value;
      parallel_for(x.size(), threads, grain, [&](std::int64_t begin, std::int64_t end) {
        ClassNumbers<K> score(classes), probability(classes);
        for (std::int64_t i = begin; i < end; ++i) {
          if (i + 8 < end) prefetch_example(x, model.weight.data(), score.columns(), i + 8);
          if (!is_full) {
            score_example<K>(x, count, model.weight.data(), i, score);
          } else {
            for (int k = 0; k < classes; ++k) score[k] = 0.0;
            double length = 0.0;
            for (std::int64_t at = x.start[i]; at < x.start[i + 1]; ++at) {
              const double c = count(at);
              const auto f = static_cast<std::int64_t>(x.feature[at]);
              length += c;
              if (c > 0.0)
                for (int k = 0; k < classes; ++k) score[k] += model.weight[f * score.columns() + k];
              for (double j = 1.0; j < c; j += 1.0)
                for (int k = 0; k < classes; ++k)
                  score[k] += std::log(model.alpha + model.counts[f * classes + k] + j);
            }
            const auto row = static_cast<std::int64_t>(length) * classes;
            for (int k = 0; k < classes; ++k) score[k] -= rising[static_cast<std::size_t>(row + k)];
          }
          for (int k = 0; k < classes; ++k) score[k] += model.prior[k];
          normalise<K>(score, probability);
          for (int k = 0; k < classes; ++k) log_probability[i * classes + k] = score[k];
        }
      });
    });
  });
}

}  // namespace rosewood
