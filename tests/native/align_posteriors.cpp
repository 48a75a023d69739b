// tests/native/align_posteriors.cpp: posteriors of one sentence pair, compared with sums over all
// alignments, and collapsed probabilities.
#include <algorithm>
#include <cmath>
#include <utility>

#include "align/chain.hpp"
#include "align/collapsed.hpp"
#include "align/counts.hpp"
#include "align/sentence.hpp"
#include "bitexts.hpp"
#include "check.hpp"

namespace align_posterior_tests {

using namespace rosewood;
using bitexts::Lexicon;
using bitexts::Text;

namespace {

/// What Chain computes, by adding up all alignments of the observed words.
struct Sums {
  double total = 0, distance = 0;
  std::vector<double> posterior, null_posterior, count, chance;
};

Sums all_alignments(const Placement& placement, std::int64_t O, std::int64_t S,
                    const std::vector<double>& emission, const std::vector<double>& null_emission) {
  Sums sums;
  sums.posterior.resize(static_cast<std::size_t>(O * S));
  sums.null_posterior.resize(static_cast<std::size_t>(O));
  sums.count.resize(placement.jump.size());
  sums.chance.resize(placement.jump.size());
  const std::int64_t reach = placement.reach();
  const auto bin = [&](std::int64_t d) {
    return static_cast<std::size_t>(std::clamp(d, -reach, reach) + reach);
  };
  const auto far = [&](std::int64_t o, std::int64_t s) {
    return std::abs(static_cast<double>(s + 1) / static_cast<double>(S) -
                    static_cast<double>(o + 1) / static_cast<double>(O));
  };
  const auto weight = [&](std::int64_t o, std::int64_t s, std::int64_t last) {
    if (placement.kind == Placing::uniform) return 1.0;
    if (placement.kind == Placing::diagonal) return std::exp(-placement.tension * far(o, s));
    return placement.jump[bin(s - last)];
  };
  std::vector<std::int64_t> choice(static_cast<std::size_t>(O), -1);  // -1: no place
  for (bool is_more = true; is_more;) {
    double p = 1, distance = 0;
    std::int64_t last = -1;
    std::vector<std::pair<std::int64_t, std::int64_t>> jumps;  // from, to
    const auto normaliser = [&](std::int64_t o, std::int64_t from, std::int64_t places) {
      double sum = 0;
      for (std::int64_t s = 0; s < places; ++s) sum += weight(o, s, from);
      return sum;
    };
    for (std::int64_t o = 0; o < O; ++o) {
      const std::int64_t s = choice[static_cast<std::size_t>(o)];
      if (s < 0) {
        p *= placement.null * null_emission[static_cast<std::size_t>(o)];
        continue;
      }
      p *= (1 - placement.null) * emission[static_cast<std::size_t>(o * S + s)] *
           weight(o, s, last) / normaliser(o, last, S);
      distance += far(o, s);
      jumps.emplace_back(last, s);
      last = s;
    }
    if (placement.kind == Placing::jumps) {  // the end is one place more
      p *= weight(O, S, last) / normaliser(O, last, S + 1);
      jumps.emplace_back(last, S);
      for (const auto& [from, to] : jumps) {
        const std::int64_t places = to == S ? S + 1 : S;
        sums.count[bin(to - from)] += p;
        for (std::int64_t s = 0; s < places; ++s)
          sums.chance[bin(s - from)] += p / normaliser(0, from, places);
      }
    }
    sums.total += p;
    sums.distance += p * distance;
    for (std::int64_t o = 0; o < O; ++o) {
      const std::int64_t s = choice[static_cast<std::size_t>(o)];
      if (s < 0)
        sums.null_posterior[static_cast<std::size_t>(o)] += p;
      else
        sums.posterior[static_cast<std::size_t>(o * S + s)] += p;
    }
    is_more = false;
    for (auto& s : choice) {
      if (++s < S) {
        is_more = true;
        break;
      }
      s = -1;
    }
  }
  return sums;
}

}  // namespace

TEST(collapsed_probabilities_add_up_to_one) {
  // Source words 0, 1 (stem 0) and 2 (stem 1); target words 0 and 1 of two stems; all pairs occur.
  check::Chance chance(2);
  const std::int32_t stems[2][3] = {{0, 0, 1}, {0, 1}}, words[] = {3, 2};
  std::vector<Count> count(6), pair_count(4), total[2], stem_total[2], null[2];
  std::vector<float> spelling(6);
  std::vector<std::int32_t> pair(6);
  std::vector<double> share[2], spelling_total[2];
  Collapsed model;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto size = static_cast<std::size_t>(words[d]);
    total[d].resize(size), stem_total[d].resize(2), spelling_total[d].resize(size);
    null[d].resize(size);
    share[d].assign(size, 1.0);
  }
  share[0][0] = 0.25, share[0][1] = 0.75;
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t t = 0; t < 2; ++t) {
      const std::size_t place = 2 * s + t;
      count[place] = to_count(5 * chance.unit());
      spelling[place] = static_cast<float>(chance.unit());
      pair[place] = 2 * stems[0][s] + stems[1][t];
      pair_count[static_cast<std::size_t>(pair[place])] += count[place];
      for (const auto& [d, word] : {std::pair{0, s}, {1, t}}) {
        total[d][word] += count[place];
        stem_total[d][static_cast<std::size_t>(stems[d][word])] += count[place];
        spelling_total[d][word] += static_cast<double>(spelling[place]);
      }
    }
  model.count = count, model.spelling = spelling, model.pair = pair;
  model.pair_count = pair_count, model.spelling_weight = 0.5;
  for (std::size_t d = 0; d < 2; ++d) {
    for (Count& none : null[d]) model.side[d].null_total += none = to_count(chance.unit());
    model.side[d].total = total[d], model.side[d].stem_total = stem_total[d];
    model.side[d].stem = {stems[d], static_cast<std::size_t>(words[d])};
    model.side[d].share = share[d], model.side[d].spelling_total = spelling_total[d];
    model.side[d].null = null[d], model.side[d].words = words[d], model.side[d].stems = 2;
  }
  for (const double weight : {0.0, 1.0, 7.5}) {
    model.stem_weight = weight;
    for (int given = 0; given < 2; ++given) {
      for (std::int32_t from = 0; from < words[given]; ++from) {
        double sum = 0;
        for (std::int32_t to = 0; to < words[given ^ 1]; ++to)
          sum += model.probability(
              given, static_cast<std::size_t>(given ? 2 * to + from : 2 * from + to), from, to, 0);
        CHECK_NEAR(sum, 1.0, 1e-12);
      }
      double nothing = 0;
      for (std::int32_t word = 0; word < words[given]; ++word)
        nothing += model.null_probability(given, word, 0);
      CHECK_NEAR(nothing, 1.0, 1e-12);
    }
  }
  // Leaving a link out is the same as never having counted it.
  const Count own = count[5] / 3;
  const double left_out = model.probability(0, 5, 2, 1, own);
  const double null_left_out = model.null_probability(1, 1, null[1][1]);
  count[5] -= own, pair_count[static_cast<std::size_t>(pair[5])] -= own;
  total[0][2] -= own, stem_total[0][1] -= own;
  CHECK_EQUAL(model.probability(0, 5, 2, 1, 0), left_out);
  model.side[1].null_total -= null[1][1], null[1][1] = 0;
  CHECK_EQUAL(model.null_probability(1, 1, 0), null_left_out);
}

TEST(posteriors_are_sums_over_all_alignments) {
  check::Chance chance(3);
  Chain chain;
  for (int round = 0; round < 150; ++round) {
    const auto O = 1 + static_cast<std::int64_t>(chance.below(4));
    const auto S = 1 + static_cast<std::int64_t>(chance.below(5));
    std::vector<double> jump(2 * chance.below(5) + 1), emission(static_cast<std::size_t>(O * S)),
        null_emission(static_cast<std::size_t>(O));
    for (auto* numbers : {&jump, &emission, &null_emission})
      for (double& each : *numbers) each = 0.01 + chance.unit();
    Placement placement;
    placement.kind = static_cast<Placing>(chance.below(3));
    placement.null = chance.below(4) ? chance.unit() : 0.0;
    placement.tension = 8 * chance.unit();
    placement.jump = jump;
    const double found = chain.infer(placement, O, S, emission, null_emission);
    const Sums sums = all_alignments(placement, O, S, emission, null_emission);
    CHECK_NEAR(found, std::log(sums.total), 1e-11);
    for (std::size_t n = 0; n < sums.posterior.size(); ++n)
      CHECK_NEAR(chain.posterior()[n], sums.posterior[n] / sums.total, 1e-11);
    for (std::size_t n = 0; n < sums.null_posterior.size(); ++n)
      CHECK_NEAR(chain.null_posterior()[n], sums.null_posterior[n] / sums.total, 1e-11);
    if (placement.kind == Placing::diagonal)
      CHECK_NEAR(chain.distance(), sums.distance / sums.total, 1e-11);
    if (placement.kind != Placing::jumps) continue;
    std::vector<double> count(jump.size()), chance_of(jump.size());
    chain.add_jumps(placement, count, chance_of);
    for (std::size_t n = 0; n < jump.size(); ++n) {
      CHECK_NEAR(count[n], sums.count[n] / sums.total, 1e-11);
      CHECK_NEAR(chance_of[n], sums.chance[n] / sums.total, 1e-11);
    }
    // Their quotient raises the likelihood.
    std::vector<double> better(jump.size());
    for (std::size_t n = 0; n < jump.size(); ++n)
      better[n] = chance_of[n] > 0 ? count[n] / chance_of[n] : jump[n];
    placement.jump = better;
    CHECK(chain.infer(placement, O, S, emission, null_emission) >= found - 1e-12);
  }
}

TEST(long_sentences_and_tiny_numbers) {
  Chain chain;
  const std::size_t O = 300, S = 200;
  const std::vector<double> emission(O * S, 1e-44), null_emission(O, 1e-44);
  const std::vector<double> jump(11, 1.0);
  for (const auto kind : {Placing::uniform, Placing::diagonal, Placing::jumps}) {
    Placement placement;
    placement.kind = kind;
    placement.jump = jump;
    const double found = chain.infer(placement, O, S, emission, null_emission);
    const double end = kind == Placing::jumps ? -std::log(S + 1.0) : 0.0;  // that it ends there
    CHECK_NEAR(found, O * std::log(1e-44) + end, 1e-9);
    for (std::size_t o = 0; o < O; ++o) {
      double sum = chain.null_posterior()[o];
      for (std::size_t s = 0; s < S; ++s) sum += chain.posterior()[o * S + s];
      CHECK_NEAR(sum, 1.0, 1e-10);
    }
  }
  Placement never;
  never.kind = Placing::jumps;
  never.null = 0.0;
  never.jump = jump;
  const std::vector<double> nothing(4, 0.0);
  CHECK_REFUSED(AlignmentError, "alignment.no-probability",
                chain.infer(never, 2, 2, nothing, nothing));
}

TEST(a_sentence_pair_is_looked_at_from_both_sides) {
  check::Chance chance(4);
  const Text source({{0, 1, 1}, {}, {2}}, 4), target({{1, 0}, {0}, {2}}, 3);
  const BitextView bitext{source.view(), target.view()};
  Lexicon lexicon(bitext, 1);
  for (Entry& entry : lexicon.entry) {
    entry.forward = static_cast<float>(0.1 + chance.unit());
    entry.backward = static_cast<float>(0.1 + chance.unit());
  }
  const std::vector<float> null_word(4, 0.125F);
  AlignmentModel model;
  model.lexicon = lexicon.view();
  model.null_word = {null_word, null_word};
  model.placement[1].kind = Placing::diagonal;
  SentencePosteriors posteriors(bitext, model);
  CHECK(!posteriors.infer(1));
  CHECK_EQUAL(posteriors.log_probability[0], 0.0);
  CHECK(posteriors.infer(0));
  for (const int direction : {0, 1}) {
    const auto& observed = direction ? posteriors.source : posteriors.target;
    const auto& places = direction ? posteriors.target : posteriors.source;
    std::vector<double> emission;
    for (const std::int32_t o : observed)
      for (const std::int32_t s : places) {
        const auto at = static_cast<std::size_t>(direction ? lexicon.view().find(o, s)
                                                           : lexicon.view().find(s, o));
        const Entry& entry = lexicon.entry[at];
        emission.push_back(static_cast<double>(direction ? entry.backward : entry.forward));
      }
    Chain chain;
    const std::vector<double> null_emission(observed.size(), 0.125);
    CHECK_EQUAL(chain.infer(model.placement[static_cast<std::size_t>(direction)],
                            std::ssize(observed), std::ssize(places), emission, null_emission),
                posteriors.log_probability[static_cast<std::size_t>(direction)]);
    CHECK(std::ranges::equal(chain.posterior(), posteriors.chain(direction).posterior()));
  }
  std::size_t cells = 0;
  posteriors.each_cell([&](std::size_t cell, double forward, double backward) {
    const std::size_t i = cell / 2, j = cell % 2;
    CHECK_EQUAL(cell, cells++);
    CHECK_EQUAL(forward, posteriors.chain(0).posterior()[j * 3 + i]);
    CHECK_EQUAL(backward, posteriors.chain(1).posterior()[i * 2 + j]);
    CHECK_EQUAL(posteriors.place[cell],
                lexicon.view().find(posteriors.source[i], posteriors.target[j]));
  });
  CHECK_EQUAL(cells, std::size_t{6});

  const Text other_source({{3}, {0}}, 4), other_target({{1}, {2}}, 3);
  const BitextView others{other_source.view(), other_target.view()};
  SentencePosteriors unknown(others, model);
  CHECK_REFUSED(AlignmentError, "alignment.unknown-word", unknown.infer(0));
  CHECK_REFUSED(AlignmentError, "alignment.unknown-pair", unknown.infer(1));
}

}  // namespace align_posterior_tests
