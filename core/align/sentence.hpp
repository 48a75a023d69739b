// core/align/sentence.hpp: one sentence pair under a model, in both directions. No Python here.
#pragma once

#include <array>
#include <vector>

#include "align/model.hpp"

namespace rosewood {

/// Buffers for one thread; infer() fills them for one sentence pair.
class SentencePosteriors {
 public:
  SentencePosteriors(const BitextView& bitext, const AlignmentModel& model)
      : bitext_(bitext), model_(model) {}

  /// Returns false, without posteriors, if one side has no words.
  bool infer(std::int64_t k);

  std::span<const std::int32_t> source, target;
  std::array<double, 2> log_probability{};
  std::vector<std::int64_t> place;  // of the lexicon: [source word, target word]

  Chain& chain(int direction) { return chain_[static_cast<std::size_t>(direction)]; }
  /// body(cell of [source word, target word], forward posterior, backward posterior).
  template <class Body>
  void each_cell(Body&& body) {
    const double* forward = chain_[0].posterior().data();
    const double* backward = chain_[1].posterior().data();
    const std::size_t I = source.size();
    const std::size_t J = target.size();
    for (std::size_t i = 0, cell = 0; i < I; ++i)
      for (std::size_t j = 0; j < J; ++j, ++cell) body(cell, forward[j * I + i], backward[cell]);
  }

 private:
  void find_places();
  void look_up();
  void leave_out(std::int64_t k);

  const BitextView& bitext_;
  const AlignmentModel& model_;
  std::array<Chain, 2> chain_;
  std::array<std::vector<double>, 2> emission_, null_emission_;
};

}  // namespace rosewood
