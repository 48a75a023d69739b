#include "align/chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "util/clones.hpp"
#include "util/error.hpp"

namespace rosewood {

namespace {

/// out[i] += sum over a of mass[a] * kernel[i - a], kernel[0] being what a jump of 0 weighs: four
/// sources at a time, so that sums stay in registers; always in this order.
ROSEWOOD_CLONES void convolve(const double* mass, const double* kernel, double* out,
                              std::int64_t size) {
  std::int64_t a = 0;
  for (; a + 4 <= size; a += 4) {
    const double m0 = mass[a], m1 = mass[a + 1], m2 = mass[a + 2], m3 = mass[a + 3];
    const double* k = kernel - a;
    for (std::int64_t i = 0; i < size; ++i)
      out[i] += (m0 * k[i] + m1 * k[i - 1]) + (m2 * k[i - 2] + m3 * k[i - 3]);
  }
  for (; a < size; ++a) {
    const double m = mass[a];
    const double* k = kernel - a;
    for (std::int64_t i = 0; i < size; ++i) out[i] += m * k[i];
  }
}

/// The same where a jump beyond `reach` weighs as much as one of `reach`: running sums take those
/// of long sentences together.
ROSEWOOD_CLONES void convolve_far(const double* mass, const double* kernel, std::int64_t reach,
                                  double* out, std::int64_t size) {
  for (std::int64_t a = 0; a < size; ++a) {
    const double m = mass[a];
    const double* k = kernel - a;
    const std::int64_t end = std::min(size, a + reach + 1);
    for (std::int64_t i = std::max<std::int64_t>(0, a - reach); i < end; ++i) out[i] += m * k[i];
  }
  double before = 0.0, behind = 0.0;
  for (std::int64_t i = reach + 1; i < size; ++i) {
    before += mass[i - reach - 1];
    out[i] += before * kernel[reach];
  }
  for (std::int64_t i = size - reach - 2; i >= 0; --i) {
    behind += mass[i + reach + 1];
    out[i] += behind * kernel[-reach];
  }
}

/// out[d] += sum over a of mass[a] * ahead[a + d], for jumps d = -(size-1) .. size-1; those beyond
/// `reach` are added to out[-reach] and out[reach].
ROSEWOOD_CLONES void correlate(const double* mass, const double* ahead, std::int64_t reach,
                               std::int64_t size, double* out) {
  for (std::int64_t a = 0; a < size; ++a) {
    const double m = mass[a];
    double* o = out - a;
    const std::int64_t end = std::min(size, a + reach + 1);
    for (std::int64_t i = std::max<std::int64_t>(0, a - reach); i < end; ++i) o[i] += m * ahead[i];
  }
  double before = 0.0, behind = 0.0, forth = 0.0, back = 0.0;
  for (std::int64_t i = reach + 1; i < size; ++i) {
    before += mass[i - reach - 1];
    forth += before * ahead[i];
  }
  for (std::int64_t i = size - reach - 2; i >= 0; --i) {
    behind += mass[i + reach + 1];
    back += behind * ahead[i];
  }
  if (size > reach + 1) {
    out[reach] += forth;
    out[-reach] += back;
  }
}

void spread(const double* mass, const double* kernel, std::int64_t reach, double* out,
            std::int64_t size) {
  if (size > 2 * reach)
    convolve_far(mass, kernel, reach, out, size);
  else
    convolve(mass, kernel, out, size);
}

/// Sums of many numbers, four at a time: additions do not wait for each other, and their order is
/// the same everywhere.
ROSEWOOD_INLINE double sum_of(const double* x, std::size_t size) {
  std::array<double, 4> part{};
  std::size_t n = 0;
  for (; n + 4 <= size; n += 4)
    for (std::size_t k = 0; k < 4; ++k) part[k] += x[n + k];
  for (std::size_t k = 0; n < size; ++n, ++k) part[k] += x[n];
  return (part[0] + part[1]) + (part[2] + part[3]);
}
ROSEWOOD_INLINE double product_of(const double* x, const double* y, std::size_t size) {
  std::array<double, 4> part{};
  std::size_t n = 0;
  for (; n + 4 <= size; n += 4)
    for (std::size_t k = 0; k < 4; ++k) part[k] += x[n + k] * y[n + k];
  for (std::size_t k = 0; n < size; ++n, ++k) part[k] += x[n] * y[n];
  return (part[0] + part[1]) + (part[2] + part[3]);
}

/// p = weight * emission, summed; then p is scaled so that with `null` all sum to one. Returns the
/// sum before that.
ROSEWOOD_CLONES double normalise(const double* weight, const double* emission, double null,
                                 double* p, std::size_t size) {
  for (std::size_t s = 0; s < size; ++s) p[s] = weight[s] * emission[s];
  const double sum = sum_of(p, size) + null;
  const double scale = 1.0 / sum;
  for (std::size_t s = 0; s < size; ++s) p[s] *= scale;
  return sum;
}

/// x *= factor * emission, and the sum of all x and n.
ROSEWOOD_CLONES double emit(double* x, const double* n, const double* emission, double factor,
                            std::size_t size) {
  for (std::size_t s = 0; s < size; ++s) x[s] *= factor * emission[s];
  return sum_of(x, size) + sum_of(n, size);
}

/// out = x * y * factor; the sum of products with `weight`.
ROSEWOOD_CLONES double join(const double* x, const double* y, double factor, const double* weight,
                            double* out, std::size_t size) {
  for (std::size_t s = 0; s < size; ++s) out[s] = x[s] * (y[s] * factor);
  return product_of(out, weight, size);
}

ROSEWOOD_CLONES double dot(const double* x, const double* y, std::size_t size) {
  return product_of(x, y, size);
}

/// The logarithm of a product of many numbers, taken once in a while.
class LogProduct {
 public:
  void times(double factor) {
    product_ *= factor;
    if (product_ < 1e-200 || product_ > 1e200) {
      sum_ += std::log(product_);
      product_ = 1.0;
    }
  }
  double log() const { return sum_ + std::log(product_); }

 private:
  double product_ = 1.0, sum_ = 0.0;
};

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

double Chain::infer(const Placement& placement, std::int64_t observed, std::int64_t places,
                    std::span<const double> emission, std::span<const double> null_emission) {
  observed_ = index(observed);
  places_ = index(places);
  size_ = observed_ * places_;
  distance_ = 0.0;
  if (posterior_.size() < size_) posterior_.resize(size_);
  if (null_posterior_.size() < observed_) null_posterior_.resize(observed_);
  if (placement.kind == Placing::jumps) return infer_jumps(placement, emission, null_emission);
  return infer_apart(placement, emission, null_emission);
}

const Chain::Diagonal& Chain::diagonal_of(double tension, double placed) {
  // Sentence pairs of the same size have the same weights, and most sizes are common ones.
  constexpr std::size_t common = 48;
  if (tension != tension_ || placed != all_placed_) diagonals_.clear();
  tension_ = tension;
  all_placed_ = placed;
  if (observed_ > common || places_ > common) {
    weigh(rare_);
    return rare_;
  }
  const auto [found, is_new] = diagonals_.try_emplace({observed_, places_});
  if (is_new) weigh(found->second);
  return found->second;
}

void Chain::weigh(Diagonal& made) const {
  made.weight.resize(size_);
  made.distance.resize(size_);
  const auto places = static_cast<double>(places_);
  const double fall = std::exp(-tension_ / places);  // from one place to the next
  for (std::size_t o = 0; o < observed_; ++o) {
    const double at = static_cast<double>(o + 1) / static_cast<double>(observed_);
    double* weight = &made.weight[o * places_];
    double* distance = &made.distance[o * places_];
    for (std::size_t s = 0; s < places_; ++s)
      distance[s] = std::abs(static_cast<double>(s + 1) / places - at);
    // Weights fall off by the same factor from step to step, on either side of the diagonal. They
    // are relative to that of the nearest place: some may weigh nothing, but never all.
    const auto before = std::min(places_, static_cast<std::size_t>(at * places));
    const double nearest = *std::min_element(distance, distance + places_);
    double total = 0.0;
    if (before > 0) {
      double w = std::exp(-tension_ * (distance[before - 1] - nearest));
      for (std::size_t s = before; s-- > 0; w *= fall) total += weight[s] = w;
    }
    if (before < places_) {
      double w = std::exp(-tension_ * (distance[before] - nearest));
      for (std::size_t s = before; s < places_; ++s, w *= fall) total += weight[s] = w;
    }
    const double scale = all_placed_ / total;
    for (std::size_t s = 0; s < places_; ++s) weight[s] *= scale;
  }
}

double Chain::infer_apart(const Placement& placement, std::span<const double> emission,
                          std::span<const double> null_emission) {
  const double placed = 1.0 - placement.null;
  const Diagonal* diagonal =
      placement.kind == Placing::diagonal ? &diagonal_of(placement.tension, placed) : nullptr;
  if (diagonal == nullptr) weight_.assign(places_, placed / static_cast<double>(places_));
  LogProduct probability;
  for (std::size_t o = 0; o < observed_; ++o) {
    double* p = &posterior_[o * places_];
    const double* weight = diagonal != nullptr ? &diagonal->weight[o * places_] : weight_.data();
    const double null = placement.null * null_emission[o];
    const double sum = normalise(weight, &emission[o * places_], null, p, places_);
    null_posterior_[o] = null / sum;
    probability.times(sum);
    if (diagonal != nullptr) distance_ += dot(p, &diagonal->distance[o * places_], places_);
  }
  return probability.log();
}

double Chain::infer_jumps(const Placement& placement, std::span<const double> emission,
                          std::span<const double> null_emission) {
  const auto S = static_cast<std::int64_t>(places_);
  const std::int64_t reach = placement.reach();
  const double null = placement.null;
  const double placed = 1.0 - null;
  const std::int64_t widest = S + 1;  // from before the sentence to behind it
  jump_.resize(index(2 * widest + 1));
  jump_back_.resize(jump_.size());
  for (std::int64_t d = -widest; d <= widest; ++d) {
    const double weight = placement.jump[index(std::clamp(d, -reach, reach) + reach)];
    jump_[index(widest + d)] = jump_back_[index(widest - d)] = weight;
  }
  const double* jump = &jump_[index(widest)];
  const double* back = &jump_back_[index(widest)];
  norm_.resize(places_ + 1);
  last_.resize(places_ + 1);
  for (std::int64_t a = -1; a < S; ++a) {
    const std::size_t from = a < 0 ? places_ : index(a);
    // Sums only: a difference would lose small weights where no others can be chosen.
    const std::int64_t forth = S - 1 - a;  // sizes are -a .. forth
    double all = 0.0;
    for (std::int64_t d = std::max(-a, -reach); d <= std::min(forth, reach); ++d) all += jump[d];
    if (forth > reach) all += jump[forth] * static_cast<double>(forth - reach);
    if (a > reach) all += jump[-a] * static_cast<double>(a - reach);
    norm_[from] = 1.0 / all;
    last_[from] = jump[S - a] / (all + jump[S - a]);
  }

  for (auto* values : {&placed_, &unplaced_, &future_})
    if (values->size() < size_) values->resize(size_);
  scale_.resize(observed_);
  start_.resize(observed_ + 1);
  start_future_.resize(observed_);
  mass_.resize(places_);
  ahead_.resize(places_);

  LogProduct probability;
  start_[0] = 1.0;
  for (std::size_t o = 0; o < observed_; ++o) {
    double* x = &placed_[o * places_];
    double* n = &unplaced_[o * places_];
    const double* e = &emission[o * places_];
    const double first = start_[o] * norm_[places_];
    for (std::int64_t s = 0; s < S; ++s) x[s] = first * jump[s + 1];
    const double none = null * null_emission[o];
    if (o == 0) {
      std::fill(n, n + S, 0.0);
    } else {
      const double* x0 = x - S;
      const double* n0 = n - S;
      for (std::size_t a = 0; a < places_; ++a) {
        const double both = x0[a] + n0[a];
        mass_[a] = both * norm_[a];
        n[a] = both * none;
      }
      spread(mass_.data(), jump, reach, x, S);
    }
    const double total = start_[o] * none + emit(x, n, e, placed, places_);
    if (!(total > 0.0))
      fail<AlignmentError>("alignment.no-probability", "a sentence has no probability at all");
    const double scale = 1.0 / total;
    for (std::size_t s = 0; s < places_; ++s) {
      x[s] *= scale;
      n[s] *= scale;
    }
    start_[o + 1] = start_[o] * none * scale;
    scale_[o] = scale;
    probability.times(total);
  }

  // The end of the sentence is behind the last place.
  const double* x_end = &placed_[(observed_ - 1) * places_];
  const double* n_end = &unplaced_[(observed_ - 1) * places_];
  double total = start_[observed_] * last_[places_];
  for (std::size_t a = 0; a < places_; ++a) total += (x_end[a] + n_end[a]) * last_[a];
  probability.times(total);
  for (std::size_t a = 0; a < places_; ++a)
    future_[(observed_ - 1) * places_ + a] = last_[a] / total;
  start_future_[observed_ - 1] = last_[places_] / total;
  ending_.resize(places_ + 1);
  for (std::size_t a = 0; a < places_; ++a) ending_[a] = (x_end[a] + n_end[a]) * last_[a] / total;
  ending_[places_] = start_[observed_] * last_[places_] / total;
  leaving_.assign(places_ + 1, 0.0);
  for (std::size_t o = observed_; o-- > 0;) {
    const double* x = &placed_[o * places_];
    const double* n = &unplaced_[o * places_];
    const double* b = &future_[o * places_];
    double* p = &posterior_[o * places_];
    for (std::size_t s = 0; s < places_; ++s) p[s] = x[s] * b[s];
    null_posterior_[o] = start_[o + 1] * start_future_[o] + dot(n, b, places_);
    const double* e = &emission[o * places_];
    const double none = null * null_emission[o] * scale_[o];
    double first = join(b, e, placed * scale_[o], jump + 1, ahead_.data(), places_);
    first *= norm_[places_];
    leaving_[places_] += start_[o] * first;
    if (o == 0) break;
    double* before = &future_[(o - 1) * places_];
    std::fill(before, before + S, 0.0);
    spread(ahead_.data(), back, reach, before, S);
    for (std::size_t a = 0; a < places_; ++a) {
      const double onward = before[a] * norm_[a];
      leaving_[a] += (placed_[(o - 1) * places_ + a] + unplaced_[(o - 1) * places_ + a]) * onward;
      before[a] = onward + none * b[a];
    }
    start_future_[o - 1] = first + none * start_future_[o];
  }
  // add_jumps() wants what comes after a jump, emission and all.
  for (std::size_t o = 0; o < observed_; ++o)
    for (std::size_t s = 0; s < places_; ++s)
      future_[o * places_ + s] *= placed * emission[o * places_ + s] * scale_[o];
  return probability.log();
}

void Chain::add_jumps(const Placement& placement, std::span<double> count,
                      std::span<double> chance) {
  const auto S = static_cast<std::int64_t>(places_);
  const std::int64_t reach = placement.reach();
  const std::int64_t widest = S + 1;
  jumps_.assign(index(2 * widest + 1), 0.0);  // expected jumps by size, not yet times their weight
  double* sized = &jumps_[index(widest)];
  for (std::size_t o = 0; o < observed_; ++o) {
    const double* ahead = &future_[o * places_];
    const double first = start_[o] * norm_[places_];
    for (std::int64_t s = 0; s < S; ++s) sized[s + 1] += first * ahead[s];
    if (o == 0) continue;
    for (std::size_t a = 0; a < places_; ++a)
      mass_[a] = (placed_[(o - 1) * places_ + a] + unplaced_[(o - 1) * places_ + a]) * norm_[a];
    correlate(mass_.data(), ahead, reach, S, sized);
  }
  auto bin = [reach](std::int64_t d) { return index(std::clamp(d, -reach, reach) + reach); };
  for (std::int64_t d = -S; d <= S; ++d) count[bin(d)] += sized[d] * jump_[index(widest + d)];
  for (std::int64_t a = -1; a < S; ++a) count[bin(S - a)] += ending_[a < 0 ? places_ : index(a)];
  // Each place a could have been left for sizes -a .. S-1-a, and at the end for S-a, too: a
  // difference array, then its sums.
  jumps_.assign(index(2 * widest + 2), 0.0);
  for (std::int64_t a = -1; a < S; ++a) {
    const std::size_t from = a < 0 ? places_ : index(a);
    const double lost = leaving_[from] * norm_[from];
    // 1 / (sum of all weights), where last = weight / sum.
    const double ended = ending_[from] * last_[from] / jump_[index(widest + S - a)];
    jumps_[index(widest - a)] += lost + ended;
    jumps_[index(widest - a + S)] -= lost;
    jumps_[index(widest - a + S + 1)] -= ended;
  }
  double running = 0.0;
  for (std::int64_t d = -S; d <= widest; ++d) {
    running += jumps_[index(widest + d)];
    chance[bin(d)] += running;
  }
}

}  // namespace rosewood
