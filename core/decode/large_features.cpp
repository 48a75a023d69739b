// core/decode/large_features.cpp: columns of a rule from its words, links and counts.
#include "decode/large_features.hpp"

#include <algorithm>
#include <cmath>

namespace rosewood {

namespace {

/// The logarithm of a product, taken before it underflows.
class LogProduct {
 public:
  void multiply(double by) {
    product_ *= std::max(by, least_probability);
    if (product_ < 1e-200) {
      log_ += std::log(product_);
      product_ = 1;
    }
  }
  double log() const { return log_ + std::log(product_); }

 private:
  double product_ = 1, log_ = 0;
};

}  // namespace

MorphemeLexicon::MorphemeLexicon(const MorphemeLinks& links, std::size_t source,
                                 std::size_t target) {
  const std::size_t size = links.count.size();
  if (links.source.size() != size || links.target.size() != size)
    fail<DecodingError>({"argument.shape", "links"},
                        "sources, targets and counts of linked morphemes differ in length");
  std::vector<double> of_source(source + 1), of_target(target + 1);
  start_.assign(source + 2, 0);
  for (std::size_t n = 0; n < size; ++n) {
    const std::int64_t s = links.source[n], t = links.target[n];
    if (s < -1 || s >= static_cast<std::int64_t>(source) || t < -1 ||
        t >= static_cast<std::int64_t>(target) || (s < 0 && t < 0) || links.count[n] < 1)
      fail<DecodingError>({"argument.range", "links", n}, "linked morphemes ", n,
                          " are not of the segmenters, or have no count");
    if (n && std::pair(links.source[n - 1], links.target[n - 1]) >=
                 std::pair(links.source[n], links.target[n]))
      fail<DecodingError>({"argument.value", "links", n}, "linked morphemes ", n, " do not ascend");
    of_source[static_cast<std::size_t>(s + 1)] += static_cast<double>(links.count[n]);
    of_target[static_cast<std::size_t>(t + 1)] += static_cast<double>(links.count[n]);
    ++start_[static_cast<std::size_t>(s + 2)];
  }
  for (std::size_t n = 1; n < start_.size(); ++n) start_[n] += start_[n - 1];
  target_.assign(links.target.begin(), links.target.end());
  for (std::size_t n = 0; n < size; ++n) {
    const auto count = static_cast<double>(links.count[n]);
    values_.push_back({count / of_source[static_cast<std::size_t>(links.source[n] + 1)],
                       count / of_target[static_cast<std::size_t>(links.target[n] + 1)]});
  }
}

MorphemeLexicon::Probabilities MorphemeLexicon::of(std::int32_t source, std::int32_t target) const {
  const auto row = static_cast<std::size_t>(source + 1);
  const auto begin = target_.begin() + start_[row], end = target_.begin() + start_[row + 1];
  const auto found = std::lower_bound(begin, end, target);
  if (found == end || *found != target) return {};
  return values_[static_cast<std::size_t>(found - target_.begin())];
}

LargeFeatures::LargeFeatures(LargeFeatureSide source, LargeFeatureSide target,
                             std::span<const std::pair<std::int32_t, std::int32_t>> class_pairs,
                             const MorphemeLinks& links)
    : source_(std::move(source)),
      target_(std::move(target)),
      lexicon_(links, source_.segmenter->size(), target_.segmenter->size()),
      columns_(inserted_classes() + static_cast<std::size_t>(target_.num_classes)) {
  for (const LargeFeatureSide* side : {&source_, &target_})
    for (const auto& [word, number] : side->classes)
      if (number < 0 || number > side->num_classes)
        fail<DecodingError>({"argument.range", "classes", number}, "there is no word class ",
                            number);
  link_columns_.assign(static_cast<std::size_t>(source_.num_classes + 1) *
                           static_cast<std::size_t>(target_.num_classes + 1),
                       -1);
  for (const auto& [one, other] : class_pairs) {
    if (one < 1 || one > source_.num_classes || other < 1 || other > target_.num_classes)
      fail<DecodingError>({"argument.range", "class_pairs"}, "there are no word classes ", one,
                          " and ", other);
    std::int32_t& column = link_columns_[static_cast<std::size_t>(one) *
                                             static_cast<std::size_t>(target_.num_classes + 1) +
                                         static_cast<std::size_t>(other)];
    if (column >= 0)
      fail<DecodingError>({"argument.duplicate", "class_pairs"}, "word classes ", one, " and ",
                          other, " are a pair twice");
    column = static_cast<std::int32_t>(columns_++);
  }
}

LargeFeatureScorer::LargeFeatureScorer(const LargeFeatures& features, const RuleTable& table)
    : features_(features),
      table_(table),
      source_(table.source_words().size()),
      target_(table.target_words().size()) {}

LargeFeatureScorer::~LargeFeatureScorer() {
  for (Words* words : {&source_, &target_})
    for (auto& each : *words) delete each.load(std::memory_order_relaxed);
}

const LargeFeatureScorer::Word& LargeFeatureScorer::word(bool is_source,
                                                         std::int32_t number) const {
  auto& kept = (is_source ? source_ : target_)[static_cast<std::size_t>(number)];
  const Word* known = kept.load(std::memory_order_acquire);
  if (!known) {
    std::unique_ptr<const Word> mine(made(is_source, number));
    if (kept.compare_exchange_strong(known, mine.get(), std::memory_order_acq_rel))
      known = mine.release();
  }
  return *known;
}

const LargeFeatureScorer::Word* LargeFeatureScorer::made(bool is_source,
                                                         std::int32_t number) const {
  const LargeFeatureSide& side = features_.side(is_source);
  const TableWords& words = is_source ? table_.source_words() : table_.target_words();
  const std::string text(words[static_cast<std::uint64_t>(number)]);
  const auto found = [&text](const auto& numbers, std::int32_t otherwise) {
    const auto place = numbers.find(text);
    return place == numbers.end() ? otherwise : place->second;
  };
  auto made = std::make_unique<Word>(Word{found(side.top, -1), found(side.classes, 0), {}, 1.0});
  std::vector<Segmenter::Piece> pieces;
  side.segmenter->segment(text, pieces);
  for (const Segmenter::Piece& piece : pieces) {
    made->morphemes.push_back(piece.number);
    const MorphemeLexicon& lexicon = features_.lexicon();
    made->alone *= piece.number < 0 ? 0
                   : is_source      ? lexicon.of(piece.number, -1).fe
                                    : lexicon.of(-1, piece.number).ef;
  }
  return made.release();
}

/// For each morpheme of a word the mean over those of the other, multiplied.
MorphemeLexicon::Probabilities LargeFeatureScorer::probabilities(const Word& source,
                                                                 const Word& target) const {
  MorphemeLexicon::Probabilities made{1, 1};
  const MorphemeLexicon& lexicon = features_.lexicon();
  const auto mean = [](double sum, std::size_t count) {
    return sum / static_cast<double>(std::max<std::size_t>(1, count));
  };
  for (const std::int32_t t : target.morphemes) {
    double sum = 0;
    for (const std::int32_t s : source.morphemes)
      if (s >= 0 && t >= 0) sum += lexicon.of(s, t).ef;
    made.ef *= mean(sum, source.morphemes.size());
  }
  for (const std::int32_t s : source.morphemes) {
    double sum = 0;
    for (const std::int32_t t : target.morphemes)
      if (s >= 0 && t >= 0) sum += lexicon.of(s, t).fe;
    made.fe *= mean(sum, target.morphemes.size());
  }
  return made;
}

void LargeFeatureScorer::fill(std::span<const std::int32_t> source,
                              std::span<const std::int32_t> target, std::span<const RuleLink> links,
                              const std::array<double, num_counts>& counts, Room& room,
                              double* row) const {
  for (std::size_t n = 0; n < num_counts; ++n)
    row[LargeFeatures::counts + n] = std::log1p(std::max(0.0, counts[n]));
  room.of_source.assign(source.size(), {0, 0});
  room.of_target.assign(target.size(), {0, 0});
  for (const RuleLink& link : links) {
    if (link.source >= source.size() || link.target >= target.size()) continue;  // damaged tables
    const std::int32_t one = source[link.source], other = target[link.target];
    if (one < 0 || other < 0) continue;
    const Word &from = word(true, one), &to = word(false, other);
    const std::uint64_t key =
        static_cast<std::uint64_t>(one) << 32 | static_cast<std::uint64_t>(other);
    const auto [place, is_new] = room.pairs.try_emplace(key);
    if (is_new) place->second = probabilities(from, to);
    room.of_target[link.target].ef_or_fe += place->second.ef;
    room.of_source[link.source].ef_or_fe += place->second.fe;
    ++room.of_target[link.target].links;
    ++room.of_source[link.source].links;
    const std::int32_t column = features_.link_column(from.word_class, to.word_class);
    if (column >= 0) row[column] += 1;
  }
  const auto fill_side = [&](bool is_source, std::span<const std::int32_t> symbols,
                             std::span<const Room::Sum> sums, std::size_t of_words,
                             std::size_t of_classes) {
    LogProduct weight;
    double words = 0;
    for (std::size_t n = 0; n < symbols.size(); ++n) {
      if (symbols[n] < 0) continue;
      words += 1;
      if (sums[n].links) {
        weight.multiply(sums[n].ef_or_fe / sums[n].links);
        continue;
      }
      const Word& free = word(is_source, symbols[n]);
      weight.multiply(free.alone);
      if (free.top >= 0) row[of_words + static_cast<std::size_t>(free.top)] += 1;
      if (free.word_class > 0) row[of_classes + static_cast<std::size_t>(free.word_class) - 1] += 1;
    }
    row[LargeFeatures::words + (is_source ? 0 : 1)] = words;
    row[LargeFeatures::morphemes + (is_source ? 1 : 0)] = weight.log();
  };
  fill_side(true, source, room.of_source, features_.deleted_words(), features_.deleted_classes());
  fill_side(false, target, room.of_target, features_.inserted_words(),
            features_.inserted_classes());
}

}  // namespace rosewood
