// core/decode/reordering_scorer.cpp: features of options in their sentence.
#include "decode/reordering_scorer.hpp"

namespace rosewood {

namespace {

constexpr std::int32_t not_found_yet = -2;

}  // namespace

ReorderingScorer::ReorderingScorer(const LinearReordering& model, const RuleTable& table,
                                   std::size_t first)
    : model_(model), table_(table), first_(first), target_words_(table.target_words().size()) {
  for (auto& number : target_words_) number.store(not_found_yet, std::memory_order_relaxed);
}

std::int32_t ReorderingScorer::target_word(std::int32_t word,
                                           const SentenceOptions& options) const {
  const auto place = static_cast<std::size_t>(word);
  if (place >= target_words_.size())
    return model_.target_word(options.extra_words[place - target_words_.size()]);
  std::int32_t number = target_words_[place].load(std::memory_order_relaxed);
  if (number == not_found_yet) {
    number = model_.target_word(table_.target_words()[place]);
    target_words_[place].store(number, std::memory_order_relaxed);
  }
  return number;
}

/// What depends on the span alone is summed once for all options of the span, which follow each
/// other.
void ReorderingScorer::score(TextWords words, SentenceOptions& options) const {
  std::vector<std::int32_t> sentence;
  for (const std::string_view word : words) sentence.push_back(model_.source_word(word));
  const std::size_t row = options.size() ? options.orientations.size() / options.size() : 0;
  LinearReordering::Sums span, sums;
  std::int32_t begin = -1, end = -1;
  std::vector<FeatureKey> keys;
  std::vector<std::int32_t> target;
  const FeatureMaker& maker = model_.maker();
  for (std::size_t n = 0; n < options.size(); ++n) {
    if (options.begin[n] != begin || options.end[n] != end) {
      begin = options.begin[n], end = options.end[n];
      model_.clear(span);
      keys.clear();
      maker.add_context(sentence, begin, end, keys);
      maker.add_source_edges(std::span(sentence).subspan(static_cast<std::size_t>(begin),
                                                         static_cast<std::size_t>(end - begin)),
                             keys);
      model_.add(keys, span);
    }
    target.clear();
    for (const std::int32_t word : options.target_of(n))
      target.push_back(target_word(word, options));
    keys.clear();
    for (const RuleLink& link : options.links_of(n)) {
      const auto source = static_cast<std::size_t>(begin) + static_cast<std::size_t>(link.source);
      const auto place = static_cast<std::size_t>(link.target);
      if (source < sentence.size() && place < target.size())  // tables may be damaged
        maker.add_pair(sentence[source], target[place], keys);
    }
    maker.add_target_edges(target, keys);
    sums = span;
    model_.add(keys, sums);
    model_.finish_rounded(sums, options.orientations.data() + n * row + first_);
  }
}

}  // namespace rosewood
