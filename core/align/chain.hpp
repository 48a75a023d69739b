// core/align/chain.hpp: alignment posteriors of one sentence in one direction, given translation
// probabilities of words. No Python here.
//
// Observed words o = 0 .. O-1 each choose a place s = 0 .. S-1 on the other side, or no place with
// probability `null`. Places are chosen uniformly; near the diagonal (Dyer et al. 2013); or by a
// jump from the place of the last word that has one (the HMM of Vogel et al. 1996, with the null
// states of Och & Ney 2003). The first jump is from before the sentence, from place -1; behind the
// last word there is one more, to the end of the sentence, place S. A jump is normalised over the
// places that are there: p(s | a) = jump(s - a) / sum over s' of jump(s' - a).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rosewood {

enum class Placing { uniform, diagonal, jumps };

struct Placement {
  Placing kind = Placing::uniform;
  double null = 0.2;
  double tension = 4.0;          // diagonal: p(s | o) ~ exp(-tension |(s+1)/S - (o+1)/O|)
  std::span<const double> jump;  // jumps: 2W+1 weights; those beyond W are as those of W

  std::int64_t reach() const { return static_cast<std::int64_t>(jump.size()) / 2; }
};

/// Posteriors of one sentence; buffers are kept from one sentence to the next.
class Chain {
 public:
  /// emission[o*S + s] and null_emission[o] are positive and in the range of a float. Returns the
  /// log probability of the observed words, and fills posterior() and null_posterior().
  double infer(const Placement& placement, std::int64_t observed, std::int64_t places,
               std::span<const double> emission, std::span<const double> null_emission);

  std::span<double> posterior() { return {posterior_.data(), size_}; }
  std::span<double> null_posterior() { return {null_posterior_.data(), observed_}; }

  /// The expected sum of |(s+1)/S - (o+1)/O|, for learning the tension of the diagonal.
  double distance() const { return distance_; }

  /// Statistics for learning jumps, after infer() with jumps: adds to `count` the expected number
  /// of jumps of each size, and to `chance` the sum over jumps of 1/(sum over s' of jump(s' - a))
  /// for each size that could have been chosen. Jumps count/chance have a higher likelihood.
  void add_jumps(const Placement& placement, std::span<double> count, std::span<double> chance);

 private:
  double infer_apart(const Placement& placement, std::span<const double> emission,
                     std::span<const double> null_emission);
  double infer_jumps(const Placement& placement, std::span<const double> emission,
                     std::span<const double> null_emission);
  /// Weights of all places for all observed words, and how far each is from the diagonal.
  struct Diagonal {
    std::vector<double> weight, distance;
  };
  const Diagonal& diagonal_of(double tension, double placed);
  void weigh(Diagonal& made) const;

  std::size_t observed_ = 0, places_ = 0, size_ = 0;
  double distance_ = 0.0;
  std::vector<double> posterior_, null_posterior_;
  double tension_ = -1.0, all_placed_ = 0.0;
  std::vector<double> weight_;
  std::map<std::pair<std::size_t, std::size_t>, Diagonal> diagonals_;  // of sizes seen before
  Diagonal rare_;                                                      // of a size seen now
  std::vector<double> jump_, jump_back_;      // by distance, -S-1 .. S+1, and the other way round
  std::vector<double> norm_;                  // 1 / sum of jumps from a place; the last: from -1
  std::vector<double> last_, ending_;         // probability of the end from a place; its posterior
  std::vector<double> placed_, unplaced_;     // forward values of states with and without a place
  std::vector<double> future_;                // backward values: the same for both
  std::vector<double> start_, start_future_;  // the state before any place was chosen
  std::vector<double> scale_, mass_, ahead_;
  std::vector<double> jumps_;
  std::vector<double> leaving_;  // expected jumps by the place they leave; the last: from -1
};

}  // namespace rosewood
