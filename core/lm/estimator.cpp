// core/lm/estimator.cpp: steps in their order; what is asked out of turn is refused.
#include "lm/estimator.hpp"

#include <algorithm>

#include "util/error.hpp"

namespace rosewood {

NgramEstimator::NgramEstimator(int order, std::uint64_t words, std::vector<std::uint64_t> cutoffs,
                               SortRoom room)
    : room_(std::move(room)), words_(words) {
  if (order < 1)
    fail<LanguageModelError>({"argument.range", "order"}, "the order is ", order,
                             ", expected 1 or more");
  if (words <= end_word || words > std::uint64_t{1} << 31)
    fail<LanguageModelError>({"argument.range", "words"}, "there are ", words,
                             " words, expected from 3 to 2^31");
  if (room_.threads < 1)
    fail<LanguageModelError>({"argument.range", "threads"}, "there are ", room_.threads,
                             " threads, expected 1 or more");
  if (cutoffs.size() != static_cast<std::size_t>(order) || cutoffs[0] != 0 ||
      !std::is_sorted(cutoffs.begin(), cutoffs.end()))
    fail<LanguageModelError>({"argument.value", "cutoffs"},
                             "cut-offs are one for each order, 0 for the first, and never go down");
  counter_ = std::make_unique<NgramCounter>(order, words, std::move(cutoffs), room_);
}

NgramCounter& NgramEstimator::counter() {
  if (!counter_) fail<LanguageModelError>("lm.call-order", "the text was counted already");
  return *counter_;
}

Smoother& NgramEstimator::smoother() {
  if (!smoother_)
    fail<LanguageModelError>("lm.call-order", "the text was not counted, or the model was taken");
  return *smoother_;
}

void NgramEstimator::add(std::span<const std::uint32_t> text, std::span<const std::int64_t> ends) {
  std::int64_t before = 0;
  for (const std::int64_t end : ends) {
    if (end < before)
      fail<LanguageModelError>({"argument.value", "ends"}, "ends of sentences go down");
    before = end;
  }
  if (before != static_cast<std::int64_t>(text.size()))
    fail<LanguageModelError>({"argument.shape", "ends"}, "the last sentence ends at ", before,
                             " of ", text.size(), " words");
  for (const std::uint32_t word : text)
    if (word >= words_ || word == begin_word || word == end_word)
      fail<LanguageModelError>({"argument.range", "text"}, "word ", word, " is none of ", words_,
                               ", or <s> or </s>");
  counter().add(text, ends);
}

void NgramEstimator::count() {
  smoother_ = std::make_unique<Smoother>(counter().finish(), room_);
  counter_.reset();
}

std::vector<std::array<std::uint64_t, 6>> NgramEstimator::sizes() {
  std::vector<std::array<std::uint64_t, 6>> out;
  for (const CountedOrder& each : smoother().counted())
    out.push_back({each.word.size(), each.kept, each.with_count[1], each.with_count[2],
                   each.with_count[3], each.with_count[4]});
  return out;
}

void NgramEstimator::go_on(const std::vector<std::array<std::uint64_t, 6>>& sizes, int done) {
  if (sizes.size() != static_cast<std::size_t>(counter().order()) || done < 0 ||
      done > counter().order())
    fail<LanguageModelError>("lm.call-order", "there is nothing to go on from");
  std::vector<CountedOrder> counted;
  for (const auto& size : sizes) {
    const std::string name = room_.folder + "/" + std::to_string(counted.size() + 1);
    CountedOrder each;
    each.word = Spool<std::uint32_t>::written(name + ".words", size[0]);
    each.count = Spool<std::uint64_t>::written(name + ".counts", size[0]);
    each.kept = size[1];
    each.with_count = {0, size[2], size[3], size[4], size[5]};
    counted.push_back(std::move(each));
  }
  smoother_ = std::make_unique<Smoother>(std::move(counted), room_, done);
  counter_.reset();
  done_ = done;
}

void NgramEstimator::smooth(int n, const std::array<double, 3>& discounts) {
  Smoother& smoother = this->smoother();
  if (n != done_ + 1 || n > smoother.order())
    fail<LanguageModelError>("lm.call-order", "order ", n, " is not the next one");
  for (int k = 1; k <= 3; ++k)
    if (!(discounts[k - 1] > 0 && discounts[k - 1] <= k))
      fail<LanguageModelError>({"argument.range", "discounts"}, "a discount of ", discounts[k - 1],
                               " for count ", k);
  smoother.smooth(n, {0.0, discounts[0], discounts[1], discounts[2]});
  done_ = n;
}

NgramTable NgramEstimator::finish() {
  Smoother& smoother = this->smoother();
  if (done_ != smoother.order())
    fail<LanguageModelError>("lm.call-order", "there are orders to be smoothed");
  NgramTable table = smoother.finish();
  smoother_.reset();
  return table;
}

}  // namespace rosewood
