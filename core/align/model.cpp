#include "align/model.hpp"

#include <algorithm>
#include <cmath>

#include "align/sentence.hpp"
#include "util/parallel.hpp"
#include "util/prefetch.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t sentences_of_block = 32;
constexpr double nothing = count_unit / 2;  // counts that are rounded to zero

std::int64_t blocks_of(const BitextView& bitext) {
  return (bitext.size() + sentences_of_block - 1) / sentences_of_block;
}

/// body(posteriors of sentence k, k, state) for every sentence with words on both sides.
template <class Make, class Body>
void each_sentence(const BitextView& bitext, const AlignmentModel& model, int threads, Make&& make,
                   Body&& body) {
  struct State {
    SentencePosteriors sentence;
    decltype(make()) own;
  };
  parallel_blocks(
      blocks_of(bitext), threads, [&] { return State{SentencePosteriors(bitext, model), make()}; },
      [&](State& state, std::int64_t block) {
        const std::int64_t end = std::min(bitext.size(), (block + 1) * sentences_of_block);
        for (std::int64_t k = block * sentences_of_block; k < end; ++k)
          if (state.sentence.infer(k)) body(state.sentence, k, state.own);
      });
}

/// What the sentences of one thread add to the counts.
class Counter {
 public:
  Counter(const BitextView& bitext, const AlignmentModel& model, ExpectedCounts& sums,
          bool is_shared)
      : bitext_(bitext), model_(model), sums_(sums), is_shared_(is_shared) {}

  void add(SentencePosteriors& sentence, std::int64_t k) const {
    if (!sums_.keep.is_empty())
      keep_links(sentence, k);
    else
      add_links(sentence);
    for (int d = 0; d < 2; ++d) add_nulls(sentence, k, d);
  }

 private:
  void add(Count& count, Count more) const {
    if (is_shared_)
      add_shared(count, more);
    else
      count += more;
  }

  void add_links(SentencePosteriors& sentence) const {
    // Most links count for nothing, and memory is slow: it is asked for early, where it is needed.
    const std::size_t I = sentence.source.size();
    const std::size_t J = sentence.target.size();
    const double* forward = sentence.chain(0).posterior().data();
    const double* backward = sentence.chain(1).posterior().data();
    const std::size_t columns = model_.agreement ? 1 : 2;
    for (std::size_t i = 0; i < I; ++i) {
      const std::int64_t* place = &sentence.place[i * J];
      const double* b = backward + i * J;
      for (std::size_t j = 0; j < J; ++j) {
        const double f = forward[j * I + i];
        if (f > nothing || b[j] > nothing)
          prefetch_to_write(&sums_.link[static_cast<std::size_t>(place[j]) * columns]);
      }
      for (std::size_t j = 0; j < J; ++j) {
        const double f = forward[j * I + i];
        if (!(f > nothing || b[j] > nothing)) continue;
        Count* count = &sums_.link[static_cast<std::size_t>(place[j]) * columns];
        if (model_.agreement) {
          add(count[0], to_count(f * b[j]));
        } else {
          add(count[0], to_count(f));
          add(count[1], to_count(b[j]));
        }
      }
    }
  }

  /// Only the strongest links of each target word count, and are remembered.
  void keep_links(SentencePosteriors& sentence, std::int64_t k) const {
    const std::size_t I = sentence.source.size();
    const std::size_t J = sentence.target.size();
    const auto first = static_cast<std::size_t>(bitext_.target.begin_of(k));
    const auto forward = sentence.chain(0).posterior();
    const auto backward = sentence.chain(1).posterior();
    for (std::size_t j = 0; j < J; ++j) {
      std::array<double, kept_links> weight{};
      std::array<std::int32_t, kept_links> at;
      at.fill(-1);
      for (std::size_t i = 0; i < I; ++i) {
        double both = forward[j * I + i] * backward[i * J + j];
        if (both < least_kept) continue;
        auto source = static_cast<std::int32_t>(i);
        for (std::size_t n = 0; n < kept_links; ++n) {  // earlier words first among equals
          if (both <= weight[n]) continue;
          std::swap(both, weight[n]);
          std::swap(source, at[n]);
        }
      }
      for (std::size_t n = 0; n < kept_links; ++n) {
        KeptLink& link = sums_.keep.link[(first + j) * kept_links + n];
        link = KeptLink{};
        if (at[n] < 0) continue;
        link = {at[n], static_cast<std::int32_t>(to_count(weight[n]))};
        const auto cell = static_cast<std::size_t>(at[n]) * J + j;
        add(sums_.link[static_cast<std::size_t>(sentence.place[cell])], link.weight);
      }
    }
  }

  void add_nulls(SentencePosteriors& sentence, std::int64_t k, int d) const {
    const auto side = static_cast<std::size_t>(d);
    const auto observed = d == 0 ? sentence.target : sentence.source;
    const auto nulls = sentence.chain(d).null_posterior();
    const TextView& text = d == 0 ? bitext_.target : bitext_.source;
    const auto first = static_cast<std::size_t>(text.begin_of(k));
    for (std::size_t o = 0; o < observed.size(); ++o) {
      const Count weight = to_count(nulls[o]);
      add(sums_.null[side][static_cast<std::size_t>(observed[o])], weight);
      if (!sums_.keep.is_empty())
        sums_.keep.null[side][first + o] = static_cast<std::int32_t>(weight);
      if (!sums_.placed[side].empty()) {
        const auto begin = sums_.position[side][static_cast<std::size_t>(k)];
        add(sums_.placed[side][static_cast<std::size_t>(begin) + o], to_count(1.0 - nulls[o]));
      }
    }
  }

  const BitextView& bitext_;
  const AlignmentModel& model_;
  ExpectedCounts& sums_;
  bool is_shared_;
};

using JumpCounts = std::array<std::vector<Count>, 2>;  // by direction and size

/// What one thread counts. Its jumps are summed up here, and go to `jumps` and `chances` at its
/// end.
class Worker {
 public:
  Worker(const BitextView& bitext, const AlignmentModel& model, ExpectedCounts& sums,
         bool is_shared, JumpCounts& jumps, JumpCounts& chances)
      : counter_(bitext, model, sums, is_shared), model_(model), jumps_(jumps), chances_(chances) {
    for (std::size_t d = 0; d < 2; ++d) {
      own_jumps_[d].assign(jumps[d].size(), 0);
      own_chances_[d].assign(jumps[d].size(), 0);
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t n = 0; n < own_jumps_[d].size(); ++n) {
        add_shared(jumps_[d][n], own_jumps_[d][n]);
        add_shared(chances_[d][n], own_chances_[d][n]);
      }
  }

  void add(SentencePosteriors& sentence, std::int64_t k) {
    counter_.add(sentence, k);
    for (std::size_t d = 0; d < 2; ++d)
      if (model_.placement[d].kind == Placing::jumps) add_jumps(sentence, d);
  }

 private:
  void add_jumps(SentencePosteriors& sentence, std::size_t d) {
    jump_.assign(own_jumps_[d].size(), 0.0);
    chance_.assign(own_jumps_[d].size(), 0.0);
    sentence.chain(static_cast<int>(d)).add_jumps(model_.placement[d], jump_, chance_);
    for (std::size_t n = 0; n < jump_.size(); ++n) {
      own_jumps_[d][n] += to_count(jump_[n]);
      own_chances_[d][n] += to_count(chance_[n]);
    }
  }

  Counter counter_;
  const AlignmentModel& model_;
  JumpCounts &jumps_, &chances_, own_jumps_, own_chances_;
  std::vector<double> jump_, chance_;  // of one sentence
};

}  // namespace

void expect(const BitextView& bitext, const AlignmentModel& model, ExpectedCounts& sums,
            int threads) {
  // Sums of floating-point numbers: by block first, then in the order of the blocks.
  std::array<std::vector<double>, 2> log_probability, distance;
  JumpCounts jumps, chances;
  for (std::size_t d = 0; d < 2; ++d) {
    log_probability[d].assign(static_cast<std::size_t>(blocks_of(bitext)), 0.0);
    distance[d] = log_probability[d];
    jumps[d].assign(model.placement[d].jump.size(), 0);
    chances[d] = jumps[d];
  }
  each_sentence(
      bitext, model, threads,
      [&] { return Worker(bitext, model, sums, threads > 1, jumps, chances); },
      [&](SentencePosteriors& sentence, std::int64_t k, Worker& worker) {
        worker.add(sentence, k);
        const auto block = static_cast<std::size_t>(k / sentences_of_block);
        for (std::size_t d = 0; d < 2; ++d) {
          log_probability[d][block] += sentence.log_probability[d];
          distance[d][block] += sentence.chain(static_cast<int>(d)).distance();
        }
      });
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t block = 0; block < distance[d].size(); ++block) {
      sums.log_probability[d] += log_probability[d][block];
      sums.distance[d] += distance[d][block];
    }
    for (std::size_t n = 0; n < jumps[d].size(); ++n) {
      sums.jump[d].push_back(static_cast<double>(jumps[d][n]) * count_unit);
      sums.chance[d].push_back(static_cast<double>(chances[d][n]) * count_unit);
    }
  }
}

namespace {

/// Geometric means of both directions' posteriors, laid out as those of direction d.
void means(SentencePosteriors& sentence, std::size_t d, std::vector<double>& mean) {
  const std::size_t I = sentence.source.size();
  const std::size_t J = sentence.target.size();
  mean.resize(I * J);
  sentence.each_cell([&](std::size_t cell, double forward, double backward) {
    const std::size_t at = d == 0 ? (cell % J) * I + cell / J : cell;
    mean[at] = std::sqrt(forward * backward);
  });
}

}  // namespace

void choose(const BitextView& bitext, const AlignmentModel& model, double least,
            std::array<std::span<std::int32_t>, 2> choice,
            std::array<std::span<double>, 2> log_probability, int threads) {
  for (std::size_t d = 0; d < 2; ++d) {
    std::fill(choice[d].begin(), choice[d].end(), -1);
    std::fill(log_probability[d].begin(), log_probability[d].end(), 0.0);
  }
  each_sentence(
      bitext, model, threads, [] { return std::vector<double>(); },
      [&](SentencePosteriors& sentence, std::int64_t k, std::vector<double>& mean) {
        for (std::size_t d = 0; d < 2; ++d) {
          log_probability[d][static_cast<std::size_t>(k)] = sentence.log_probability[d];
          const std::size_t observed = (d == 0 ? sentence.target : sentence.source).size();
          const std::size_t places = (d == 0 ? sentence.source : sentence.target).size();
          const TextView& text = d == 0 ? bitext.target : bitext.source;
          const auto first = static_cast<std::size_t>(text.begin_of(k));
          const auto nulls = sentence.chain(static_cast<int>(d)).null_posterior();
          const auto link = sentence.chain(static_cast<int>(d)).posterior();
          if (model.agreement) means(sentence, d, mean);
          const std::span<const double> value = model.agreement ? mean : link;
          for (std::size_t o = 0; o < observed; ++o) {
            double best = model.agreement ? least : nulls[o];
            for (std::size_t s = 0; s < places; ++s) {
              if (value[o * places + s] <= best) continue;
              best = value[o * places + s];
              choice[d][first + o] = static_cast<std::int32_t>(s);
            }
          }
        }
      });
}

void posteriors(const BitextView& bitext, const AlignmentModel& model,
                std::span<const std::int64_t> start, std::array<std::span<float>, 2> posterior,
                int threads) {
  each_sentence(
      bitext, model, threads, [] { return 0; },
      [&](SentencePosteriors& sentence, std::int64_t k, int) {
        const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(k)]);
        sentence.each_cell([&](std::size_t cell, double forward, double backward) {
          posterior[0][first + cell] = static_cast<float>(forward);
          posterior[1][first + cell] = static_cast<float>(backward);
        });
      });
}

void check_model(const BitextView& bitext, const AlignmentModel& model) {
  if (model.lexicon.rows() < bitext.source.words)
    fail<AlignmentError>("argument.shape", "the lexicon has ", model.lexicon.rows(), " rows for ",
                         bitext.source.words, " source words");
  for (std::size_t d = 0; d < 2; ++d) {
    const Placement& placement = model.placement[d];
    const TextView& observed = d == 0 ? bitext.target : bitext.source;
    if (!(placement.null >= 0.0 && placement.null < 1.0))
      fail<AlignmentError>({"argument.range", "null"}, "the probability of no link is ",
                           placement.null);
    if (placement.kind == Placing::jumps && placement.jump.size() % 2 == 0)
      fail<AlignmentError>({"argument.shape", "jump"}, "there are ", placement.jump.size(),
                           " jumps, expected an odd number");
    for (const double weight : placement.jump)
      if (!(weight > 0.0 && weight <= 1.0))
        fail<AlignmentError>({"argument.range", "jump"}, "a jump weighs ", weight);
    if (!(placement.tension >= 0.0 && placement.tension <= 1e6))
      fail<AlignmentError>({"argument.range", "tension"}, "the tension is ", placement.tension);
    if (model.null_word[d].size() != static_cast<std::size_t>(observed.words))
      fail<AlignmentError>({"argument.shape", "null_word"},
                           "expected the probability of no link for each of ", observed.words,
                           " words");
  }
}

}  // namespace rosewood
