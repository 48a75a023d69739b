#include "rules/lexical.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "util/error.hpp"

namespace rosewood {
namespace {

std::uint64_t key_of(std::int64_t source, std::int64_t target) {
  return static_cast<std::uint64_t>(source + 1) << 32 | static_cast<std::uint64_t>(target + 1);
}

std::size_t hash_of(std::uint64_t key) {
  key *= 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(key ^ key >> 32);
}

}  // namespace

WordPairs count_word_pairs(const AlignedCorpus& corpus, const SortRoom& room,
                           const std::string& name) {
  RowSorter sorter(1, 1, room, name);
  AlignedSentence sentence;
  for (std::int64_t k = 0; k < corpus.size(); ++k) {
    corpus.set(sentence, k);
    const auto source = corpus.source.sentence(k), target = corpus.target.sentence(k);
    for (std::size_t n = 0; n < sentence.link_source().size(); ++n)
      *sorter.add() = key_of(source[static_cast<std::size_t>(sentence.link_source()[n])],
                             target[static_cast<std::size_t>(sentence.link_target()[n])]);
    for (std::size_t i = 0; i < source.size(); ++i)
      if (sentence.of_source(static_cast<std::int32_t>(i)).is_empty())
        *sorter.add() = key_of(source[i], -1);
    for (std::size_t j = 0; j < target.size(); ++j)
      if (sentence.of_target(static_cast<std::int32_t>(j)).is_empty())
        *sorter.add() = key_of(-1, target[j]);
  }
  sorter.finish();
  WordPairs made;
  while (const std::uint64_t* row = sorter.next()) {
    if (made.key.empty() || made.key.back() != *row) {
      made.key.push_back(*row);
      made.count.push_back(0);
    }
    ++made.count.back();
  }
  return made;
}

LexicalWeights::LexicalWeights(std::span<const std::uint64_t> key,
                               std::span<const std::uint64_t> count, std::int64_t source_words,
                               std::int64_t target_words)
    : slots_(std::bit_ceil(std::max<std::size_t>(16, key.size() * 2))),
      source_total_(static_cast<std::size_t>(source_words) + 1),
      target_total_(static_cast<std::size_t>(target_words) + 1) {
  if (key.size() != count.size())
    fail<RuleError>("argument.shape", "there are ", key.size(), " pairs of words and ",
                    count.size(), " counts");
  for (std::size_t n = 0; n < key.size(); ++n) {
    const std::uint64_t source = key[n] >> 32, target = key[n] & 0xffffffff;
    if (source >= source_total_.size() || target >= target_total_.size() || key[n] == 0)
      fail<RuleError>("rules.unknown-pair", "there is no pair of words ", source, " and ", target);
    source_total_[source] += count[n];
    target_total_[target] += count[n];
    std::size_t place = hash_of(key[n]) & (slots_.size() - 1);
    while (slots_[place].key) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = {key[n], count[n]};
  }
}

std::uint64_t LexicalWeights::count_of(std::uint64_t key) const {
  std::size_t place = hash_of(key) & (slots_.size() - 1);
  while (slots_[place].key && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
  return slots_[place].count;
}

LexicalWeights::Logs LexicalWeights::weigh(std::span<const std::int32_t> source,
                                           std::span<const std::int32_t> target,
                                           std::span<const RuleLink> links) const {
  struct Sum {
    double shares = 0;
    int linked = 0;
  };
  thread_local std::vector<Sum> of_target;
  of_target.assign(target.size(), {});
  // Products of means; a rule may be long, so its logarithm is taken before it underflows.
  Logs made{0, 0};
  double product = 1;
  const auto multiply = [&product](double& log, double by) {
    product *= by;
    if (product < 1e-200) {
      log += std::log(product);
      product = 1;
    }
  };
  for (std::size_t i = 0, n = 0; i < source.size(); ++i) {
    if (source[i] < 0) continue;
    double sum = 0;
    int linked = 0;
    for (; n < links.size() && links[n].source == i; ++n, ++linked) {
      const std::int32_t word = target[links[n].target];
      const auto count = static_cast<double>(count_of(key_of(source[i], word)));
      sum += count / static_cast<double>(target_total_[static_cast<std::size_t>(word) + 1]);
      Sum& other = of_target[links[n].target];
      other.shares +=
          count / static_cast<double>(source_total_[static_cast<std::size_t>(source[i]) + 1]);
      ++other.linked;
    }
    if (linked == 0)
      sum = static_cast<double>(count_of(key_of(source[i], -1))) /
            static_cast<double>(target_total_[0]);
    multiply(made.fe, sum / std::max(1, linked));
  }
  made.fe += std::log(product);
  product = 1;
  for (std::size_t j = 0; j < target.size(); ++j) {
    if (target[j] < 0) continue;
    auto [sum, linked] = of_target[j];
    if (linked == 0)
      sum = static_cast<double>(count_of(key_of(-1, target[j]))) /
            static_cast<double>(source_total_[0]);
    multiply(made.ef, sum / std::max(1, linked));
  }
  made.ef += std::log(product);
  return made;
}

}  // namespace rosewood
