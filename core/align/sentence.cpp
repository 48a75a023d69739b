#include "align/sentence.hpp"

#include "util/prefetch.hpp"

namespace rosewood {

bool SentencePosteriors::infer(std::int64_t k) {
  source = bitext_.source.sentence(k);
  target = bitext_.target.sentence(k);
  log_probability = {0.0, 0.0};
  if (source.empty() || target.empty()) return false;
  find_places();
  look_up();
  if (model_.collapsed != nullptr) leave_out(k);
  const auto I = static_cast<std::int64_t>(source.size());
  const auto J = static_cast<std::int64_t>(target.size());
  log_probability[0] = chain_[0].infer(model_.placement[0], J, I, emission_[0], null_emission_[0]);
  log_probability[1] = chain_[1].infer(model_.placement[1], I, J, emission_[1], null_emission_[1]);
  return true;
}

/// Where searches begin, all asked for before the first is needed.
void SentencePosteriors::find_places() {
  const LexiconView& lexicon = model_.lexicon;
  place.resize(source.size() * target.size());
  std::size_t cell = 0;
  for (const std::int32_t s : source) {
    const std::int64_t begin = lexicon.row[static_cast<std::size_t>(s)];
    const std::int64_t size = lexicon.row[static_cast<std::size_t>(s) + 1] - begin;
    if (size == 0)
      fail<AlignmentError>("alignment.unknown-word", "the lexicon has no row for source word ", s);
    for (const std::int32_t t : target) {
      place[cell] = begin + LexiconView::home(t, size);
      prefetch_to_read(&lexicon.entry[static_cast<std::size_t>(place[cell])]);
      ++cell;
    }
  }
}

void SentencePosteriors::look_up() {
  const LexiconView& lexicon = model_.lexicon;
  const std::size_t I = source.size();
  const std::size_t J = target.size();
  for (auto& emission : emission_) emission.resize(I * J);
  for (std::size_t i = 0; i < I; ++i) {
    const std::int64_t begin = lexicon.row[static_cast<std::size_t>(source[i])];
    const std::int64_t end = lexicon.row[static_cast<std::size_t>(source[i]) + 1];
    for (std::size_t j = 0; j < J; ++j) {
      std::int64_t& at = place[i * J + j];
      at = lexicon.find_from(at, begin, end, target[j]);
      if (at < 0)
        fail<AlignmentError>("alignment.unknown-pair", "the lexicon has no pair of words ",
                             source[i], " and ", target[j]);
      const Entry& entry = lexicon.entry[static_cast<std::size_t>(at)];
      emission_[0][j * I + i] = static_cast<double>(entry.forward);
      emission_[1][i * J + j] = static_cast<double>(entry.backward);
    }
  }
  for (std::size_t d = 0; d < 2; ++d) {
    const auto observed = d == 0 ? target : source;
    null_emission_[d].resize(observed.size());
    for (std::size_t o = 0; o < observed.size(); ++o)
      null_emission_[d][o] =
          static_cast<double>(model_.null_word[d][static_cast<std::size_t>(observed[o])]);
  }
}

/// Entries have the probabilities that leave nothing out: those of linked words are made again.
void SentencePosteriors::leave_out(std::int64_t k) {
  const Collapsed& collapsed = *model_.collapsed;
  const std::size_t I = source.size();
  const std::size_t J = target.size();
  const auto first = static_cast<std::size_t>(bitext_.target.begin_of(k));
  for (std::size_t j = 0; j < J; ++j) {
    for (std::size_t n = 0; n < kept_links; ++n) {
      const KeptLink& link = model_.kept.link[(first + j) * kept_links + n];
      if (link.place < 0) continue;
      const auto i = static_cast<std::size_t>(link.place);
      if (i >= I) fail<AlignmentError>("argument.range", "a kept link is out of its sentence");
      const auto at = static_cast<std::size_t>(place[i * J + j]);
      emission_[0][j * I + i] = collapsed.probability(0, at, source[i], target[j], link.weight);
      emission_[1][i * J + j] = collapsed.probability(1, at, target[j], source[i], link.weight);
    }
    null_emission_[0][j] = collapsed.null_probability(1, target[j], model_.kept.null[0][first + j]);
  }
  const auto first_source = static_cast<std::size_t>(bitext_.source.begin_of(k));
  for (std::size_t i = 0; i < I; ++i)
    null_emission_[1][i] =
        collapsed.null_probability(0, source[i], model_.kept.null[1][first_source + i]);
}

}  // namespace rosewood
