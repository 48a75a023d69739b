// core/learn/objective.cpp
#include "learn/objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/expectation.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// One forest after another; the buffers live on.
class Worker {
 public:
  Worker(const ForestBatch& batch, std::span<const double> theta, std::span<const double> loss,
         std::span<const double> target, const ObjectiveTerms& terms)
      : batch_(batch), theta_(theta), loss_(loss), target_(target), terms_(terms) {}

  void add(std::int64_t i, ObjectiveParts& parts, std::span<double> gradient) {
    const ForestView& f = batch_.forest[i];
    const auto edges = static_cast<std::size_t>(f.num_edges());
    for (auto* buffer : {&q_, &local_, &coefficient_}) buffer->resize(edges);
    forest_scores(batch_, i, theta_, rows_, weight_);
    for (double& w : weight_) w *= terms_.scale;
    const double log_z = edge_conditionals(f, weight_, q_);
    // The derivative of E[L] by a log weight is Cov(#e, L); that of -H is Cov(#e, log p), and
    // log p(d) is the sum of log q over d. So one pass serves both.
    if (terms_.risk != 0.0 || terms_.entropy != 0.0) {
      const auto loss = terms_.risk != 0.0 ? batch_.of(i, loss_) : std::span<const double>();
      double entropy = 0.0;
      for (std::size_t e = 0; e < edges; ++e)
        local_[e] = terms_.risk != 0.0 ? terms_.risk * loss[e] : 0.0;
      if (terms_.entropy != 0.0) {
        edge_counts(f, q_, coefficient_);
        for (std::size_t e = 0; e < edges; ++e) {
          const double log_q = std::log(std::max(q_[e], std::numeric_limits<double>::min()));
          if (q_[e] > 0.0) entropy -= coefficient_[e] * log_q;
          local_[e] -= terms_.entropy * log_q;
        }
      }
      const double mean = edge_covariances(f, q_, local_, coefficient_);
      parts.entropy += entropy;
      if (terms_.risk != 0.0) parts.risk += (mean - terms_.entropy * entropy) / terms_.risk;
    } else {
      std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    }
    if (terms_.log_loss != 0.0) add_log_loss(f, i, log_z, parts);
    for (double& c : coefficient_) c *= terms_.scale;
    add_features(batch_.features[i], of_rows(i), gradient, 1);
  }

 private:
  /// The coefficients of edges, added up for each row of features.
  std::span<const double> of_rows(std::int64_t i) {
    const auto map = batch_.edge_map[i];
    if (map.empty()) return coefficient_;
    std::fill(rows_.begin(), rows_.end(), 0.0);
    for (std::size_t e = 0; e < map.size(); ++e) rows_[map[e]] += coefficient_[e];
    return rows_;
  }

  void add_log_loss(const ForestView& f, std::int64_t i, double log_z, ObjectiveParts& parts) {
    edge_counts(f, q_, local_);
    for (std::size_t e = 0; e < local_.size(); ++e) coefficient_[e] += terms_.log_loss * local_[e];
    const auto target = batch_.of(i, target_);
    for (std::size_t e = 0; e < weight_.size(); ++e) weight_[e] += target[e];
    const double log_target = edge_conditionals(f, weight_, q_);
    edge_counts(f, q_, local_);
    for (std::size_t e = 0; e < local_.size(); ++e) coefficient_[e] -= terms_.log_loss * local_[e];
    parts.log_loss += log_z - log_target;
  }

  const ForestBatch& batch_;
  std::span<const double> theta_, loss_, target_;
  const ObjectiveTerms& terms_;
  std::vector<double> rows_, weight_, q_, local_, coefficient_;
};

}  // namespace

void batch_objective(const ForestBatch& batch, std::span<const std::int64_t> subset,
                     std::span<const std::int64_t> shard, std::span<const double> theta,
                     std::span<const double> loss, std::span<const double> target,
                     const ObjectiveTerms& terms, std::span<ObjectiveParts> parts,
                     std::span<double> gradient, int threads) {
  std::vector<std::size_t> run;  // where the forests of a shard begin, and the end
  for (std::size_t k = 0; k < subset.size(); ++k)
    if (k == 0 || shard[k] != shard[k - 1]) run.push_back(k);
  run.push_back(subset.size());
  parallel_for(std::ssize(run) - 1, threads, 1, [&](std::int64_t first, std::int64_t last) {
    Worker worker(batch, theta, loss, target, terms);
    for (std::int64_t r = first; r < last; ++r) {
      const auto s = static_cast<std::size_t>(shard[run[r]]);
      for (std::size_t k = run[r]; k < run[r + 1]; ++k) {
        const auto sum = gradient.subspan(s * theta.size(), theta.size());
        try {
          worker.add(subset[k], parts[s], sum);
        } catch (const EmptyForestError& error) {
          throw restated(error, "forest", batch.number[subset[k]]);
        } catch (const ForestError& error) {
          throw restated(error, "forest", batch.number[subset[k]]);
        }
      }
    }
  });
}

}  // namespace rosewood
