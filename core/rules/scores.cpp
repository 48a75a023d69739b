#include "rules/scores.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>

#include "util/parallel.hpp"

namespace rosewood {
namespace {

constexpr std::size_t enough = 1 << 12;  // rules that are scored at a time
constexpr std::size_t fixed_features = 5;
constexpr std::int32_t gap = -1, glue_gap = -2;  // labels X and S

}  // namespace

RuleScorer::RuleScorer(const AlignedCorpus& corpus, const LexicalWeights& lexicon,
                       const ScoreSettings& settings, const RuleTotals& totals, PairReader pairs,
                       RuleTableWriter& table, int threads)
    : corpus_(corpus),
      lexicon_(lexicon),
      settings_(settings),
      totals_(totals),
      pairs_(std::move(pairs)),
      table_(table),
      threads_(threads) {}

void RuleScorer::set_index(PhraseIndex source, PhraseIndex target) {
  counters_.assign(static_cast<std::size_t>(threads_), SentenceCounter(corpus_, source, target));
}

std::size_t RuleScorer::num_features() const {
  return fixed_features + settings_.has_gaps +
         (settings_.has_orientation ? (settings_.splits_discontinuous ? 8 : 6) : 0);
}

bool RuleScorer::is_rare(const RulePair& pair) const {
  return pair.count < settings_.min_count ||
         (pair.shape.gaps > 0 && pair.seen < settings_.min_gapped);
}

void RuleScorer::read_next() {
  has_next_ = !pairs_.is_done();
  if (has_next_) next_ = pairs_.next(next_target_);
}

/// Whole sources, until there are enough rules.
void RuleScorer::read(Batch& batch) {
  batch.held = 0;
  batch.first.clear();
  for (; has_next_; read_next()) {
    if (next_.is_first) {
      if (batch.held >= enough) break;
      batch.first.push_back(batch.held);
    }
    if (batch.items.size() == batch.held) batch.items.emplace_back();
    Item& item = batch.items[batch.held++];
    item.pair = next_;
    item.target = next_target_;
    item.is_significant = true;
  }
  batch.first.push_back(batch.held);
}

/// One batch is written, in the order of rules, while the next one is scored by other threads.
std::int64_t RuleScorer::step() {
  if (!is_begun_) {
    read_next();
    if (settings_.has_gaps && has_next_) write_glue(true);
    is_begun_ = true;
    read(now_);
    score(now_, threads_);
  }
  read(ahead_);
  if (threads_ > 1) {
    auto scored =
        std::async(std::launch::async, [this] { score(ahead_, std::max(1, threads_ - 1)); });
    write(now_);
    scored.get();
  } else {
    write(now_);
    score(ahead_, 1);
  }
  const auto done = static_cast<std::int64_t>(now_.held);
  std::swap(now_, ahead_);
  return done;
}

void RuleScorer::score(Batch& batch, int threads) {
  const auto sources = static_cast<std::int64_t>(batch.first.size()) - 1;
  std::atomic<std::size_t> free_counter{0};
  constexpr std::int64_t some = 64;  // sources that a thread takes at a time
  parallel_blocks(
      (sources + some - 1) / some, threads,
      [&] { return counters_.empty() ? nullptr : &counters_[free_counter++]; },
      [&](SentenceCounter* counter, std::int64_t block) {
        const auto last = static_cast<std::size_t>(std::min(sources, (block + 1) * some));
        for (auto n = static_cast<std::size_t>(block * some); n < last; ++n)
          score(std::span(batch.items).subspan(batch.first[n], batch.first[n + 1] - batch.first[n]),
                counter);
      });
}

void RuleScorer::write(const Batch& batch) {
  for (std::size_t n = 0; n + 1 < batch.first.size(); ++n)
    write(std::span(batch.items).subspan(batch.first[n], batch.first[n + 1] - batch.first[n]));
  if (batch.held == 0 && settings_.has_gaps && kept_ > 0 && !has_second_glue_) write_glue(false);
}

/// All rules of one source.
void RuleScorer::score(std::span<Item> items, SentenceCounter* counter) const {
  using Smoothing = ScoreSettings::Smoothing;
  double source_count = 0, source_discount = 0;
  const auto targets = static_cast<double>(items.size());
  const auto all = static_cast<double>(totals_.rules);
  for (const Item& item : items) {
    source_count += item.pair.count;
    source_discount += discount_of(settings_.kneser_ney, item.pair.count, item.pair.seen);
  }
  bool is_counted = false;
  for (Item& item : items) {
    const double count = item.pair.count;
    item.source_count = source_count;
    if (is_rare(item.pair)) continue;
    read_rule(corpus_, item.pair.shape, item.pair.place, item.text);
    if (counter) {
      if (!is_counted) counter->set_source(item.pair.place.source, item.pair.shape.source[0]);
      is_counted = true;
      item.is_significant =
          counter->with_target(item.text.target_place, item.pair.shape.target[0]) >=
          settings_.min_significance;
      if (!item.is_significant) continue;
    }
    double ef = count / source_count, fe = count / item.target.count;
    if (settings_.smoothing == Smoothing::good_turing) {
      const double left = item.pair.seen < 10 ? settings_.good_turing[item.pair.seen] : 1.0;
      ef *= left;
      fe *= left;
    } else if (settings_.smoothing == Smoothing::kneser_ney) {
      const double kept = count - discount_of(settings_.kneser_ney, count, item.pair.seen);
      ef = (kept + source_discount * (item.target.sources / all)) / source_count;
      fe = (kept + item.target.discount * (targets / all)) / item.target.count;
    }
    const LexicalWeights::Logs lexical =
        lexicon_.weigh(item.text.source, item.text.target, item.text.links);
    item.features[0] = static_cast<float>(std::log(ef));
    item.features[1] = static_cast<float>(std::log(fe));
    item.features[2] = static_cast<float>(lexical.ef);
    item.features[3] = static_cast<float>(lexical.fe);
    item.features[4] = 1;
    if (settings_.has_gaps) item.features[5] = 0;
    if (settings_.has_orientation) score_orientations(item);
  }
}

void RuleScorer::score_orientations(Item& item) const {
  const std::size_t classes = settings_.splits_discontinuous ? 4 : 3;
  for (std::size_t direction = 0; direction < 2; ++direction) {
    std::array<double, 4> count{};
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c)
      count[std::min(c, classes - 1)] += item.pair.orientation[4 * direction + c];
    for (std::size_t c = 0; c < classes; ++c) {
      count[c] += settings_.orientation_prior[4 * direction + c];
      sum += count[c];
    }
    for (std::size_t c = 0; c < classes; ++c)
      item.features[fixed_features + classes * direction + c] =
          static_cast<float>(std::log(count[c] / sum));
  }
}

void RuleScorer::write(std::span<const Item> items) {
  order_.clear();
  for (const Item& item : items) {
    if (is_rare(item.pair))
      ++rare_;
    else if (!item.is_significant)
      ++insignificant_;
    else
      order_.push_back(&item);
  }
  if (order_.empty()) return;
  std::stable_sort(order_.begin(), order_.end(), [](const Item* a, const Item* b) {
    const auto &x = a->features, &y = b->features;
    return x[0] != y[0] ? x[0] > y[0] : x[1] > y[1];
  });
  if (settings_.limit > 0 && order_.size() > static_cast<std::size_t>(settings_.limit)) {
    over_limit_ += static_cast<std::int64_t>(order_.size()) - settings_.limit;
    order_.resize(static_cast<std::size_t>(settings_.limit));
  }
  if (settings_.has_gaps && !has_second_glue_ && order_[0]->text.source[0] >= 0) write_glue(false);
  for (const Item* kept : order_) {
    const Item& item = *kept;
    RuleView rule;
    rule.source = item.text.source;
    rule.target = item.text.target;
    rule.links = item.text.links;
    rule.count = item.pair.count;
    rule.source_count = item.source_count;
    rule.target_count = item.target.count;
    rule.features = {item.features.data(), num_features()};
    rule.sentence = item.text.sentence;
    rule.target_place = item.pair.shape.gaps == 0 ? item.text.target_place : -1;
    table_.add(rule);
    ++kept_;
  }
}

/// A sentence is an X, or what has been translated so far and another X. The first comes before all
/// other rules, the second before those whose source begins with a word.
void RuleScorer::write_glue(bool is_first) {
  constexpr std::array<std::int32_t, 2> alone{gap}, both{glue_gap, gap}, targets{-1, -2};
  const std::size_t size = is_first ? 1 : 2;
  std::array<float, 14> features{};
  features[5] = 1;
  RuleView rule;
  rule.left = 1;
  rule.source = {is_first ? alone.data() : both.data(), size};
  rule.target = {targets.data(), size};
  rule.features = {features.data(), num_features()};
  table_.add(rule);
  ++kept_;
  if (!is_first) has_second_glue_ = true;
}

}  // namespace rosewood
