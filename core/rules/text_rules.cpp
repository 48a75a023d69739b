// core/rules/text_rules.cpp: rules as flat arrays; a hash table of their places finds those that
// stand twice.
#include "rules/text_rules.hpp"

#include <algorithm>
#include <numeric>

#include "util/error.hpp"

namespace rosewood {

namespace {

/// The words in the order of their bytes, but the first `fixed`; where each goes.
std::vector<std::int32_t> sort_words(WordTable& words, std::int32_t fixed) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(words.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin() + fixed, order.end(),
            [&](std::int32_t a, std::int32_t b) { return words[a] < words[b]; });
  WordTable sorted;
  std::vector<std::int32_t> rank(order.size());
  for (const std::int32_t word : order)
    rank[static_cast<std::size_t>(word)] = sorted.add(words[word]);
  words = std::move(sorted);
  return rank;
}

}  // namespace

TextRules::TextRules() : slots_(1024, -1) { labels_.add("X"); }

std::int64_t TextRules::add(const TextRule& rule, std::int64_t line) {
  new_source_.clear();
  new_target_.clear();
  for (const TextSymbol& symbol : rule.source)
    new_source_.push_back(symbol.gap < 0 ? source_words_.add(symbol.text)
                                         : -1 - labels_.add(symbol.text));
  for (const TextSymbol& symbol : rule.target)
    new_target_.push_back(symbol.gap < 0 ? target_words_.add(symbol.text) : -1 - symbol.gap);
  const std::int32_t left = labels_.add(rule.left);
  const std::size_t slot = slot_of(left, new_source_, new_target_);
  if (slots_[slot] >= 0) return line_[at(slots_[slot])];
  slots_[slot] = size();
  left_.push_back(left);
  source_.symbol.insert(source_.symbol.end(), new_source_.begin(), new_source_.end());
  target_.symbol.insert(target_.symbol.end(), new_target_.begin(), new_target_.end());
  source_.close();
  target_.close();
  links_.insert(links_.end(), rule.links.begin(), rule.links.end());
  link_start_.push_back(static_cast<std::int64_t>(links_.size()));
  for (const TextFeature& feature : rule.features) {
    const std::int32_t number = features_.add(feature.name);
    if (at(number) >= most_features)
      fail<RuleError>("rules.too-many-features", "there are more than ", most_features,
                      " features, and every rule of a table has all of them");
    feature_.push_back(static_cast<std::uint16_t>(number));
    value_.push_back(feature.value);
  }
  feature_start_.push_back(static_cast<std::int64_t>(value_.size()));
  counts_.push_back(rule.counts);
  line_.push_back(line);
  if (line_.size() * 2 > slots_.size()) grow();
  return 0;
}

std::int64_t TextRules::find(std::span<const std::string_view> source,
                             std::span<const std::string_view> target) const {
  std::vector<std::int32_t> sides[2];
  for (const std::string_view word : source) sides[0].push_back(source_words_.find(word));
  for (const std::string_view word : target) sides[1].push_back(target_words_.find(word));
  for (const auto& side : sides)
    if (std::any_of(side.begin(), side.end(), [](std::int32_t word) { return word < 0; }))
      return -1;
  return slots_[slot_of(0, sides[0], sides[1])];
}

std::size_t TextRules::slot_of(std::int32_t left, std::span<const std::int32_t> source,
                               std::span<const std::int32_t> target) const {
  std::uint64_t hash = static_cast<std::uint64_t>(left) + (source.size() << 20);
  const auto mix = [&hash](std::int32_t symbol) {
    hash = (hash ^ static_cast<std::uint32_t>(symbol)) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 29;
  };
  for (const std::int32_t symbol : source) mix(symbol);
  for (const std::int32_t symbol : target) mix(symbol);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::int64_t rule = slots_[slot];
    if (left_[at(rule)] == left && std::ranges::equal(source_[rule], source) &&
        std::ranges::equal(target_[rule], target))
      break;
  }
  return slot;
}

void TextRules::grow() {
  slots_.assign(slots_.size() * 2, -1);
  for (std::int64_t rule = 0; rule < size(); ++rule)
    slots_[slot_of(left_[at(rule)], source_[rule], target_[rule])] = rule;
}

void TextRules::add_columns(std::size_t width, float missing) {
  width_ = width;
  columns_.assign(line_.size() * width, missing);
}

void TextRules::renumber(Symbols& side, WordTable& words, bool has_labels) {
  const std::vector<std::int32_t> rank = sort_words(words, 0);
  for (std::int32_t& symbol : side.symbol) {
    if (symbol >= 0)
      symbol = rank[at(symbol)];
    else if (has_labels)
      symbol = -1 - label_rank_[at(-1 - symbol)];
  }
}

void TextRules::finish(std::int32_t by) {
  release(slots_);
  label_rank_ = sort_words(labels_, 1);
  for (std::int32_t& left : left_) left = label_rank_[at(left)];
  renumber(source_, source_words_, true);
  renumber(target_, target_words_, false);
  std::vector<float> key;
  if (by >= 0) {
    key.assign(line_.size(), 0);
    for (std::size_t rule = 0; rule < key.size(); ++rule)
      for (std::int64_t n = feature_start_[rule]; n < feature_start_[rule + 1]; ++n)
        if (feature_[at(n)] == by) key[rule] = value_[at(n)];
  }
  order_.resize(line_.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto labels = static_cast<std::int32_t>(labels_.size());
  std::sort(order_.begin(), order_.end(), [&](std::int64_t a, std::int64_t b) {
    const auto x = source_[a], y = source_[b];
    const auto [p, q] = std::ranges::mismatch(x, y);
    if (p != x.end() && q != y.end()) return source_rank(*p, labels) < source_rank(*q, labels);
    if (x.size() != y.size()) return x.size() < y.size();
    if (!key.empty() && key[at(a)] != key[at(b)]) return key[at(a)] > key[at(b)];
    return a < b;
  });
}

bool TextRules::is_constant(std::int32_t feature, float value) const {
  std::size_t found = 0;
  for (std::size_t n = 0; n < value_.size(); ++n) {
    if (feature_[n] != feature) continue;
    if (value_[n] != value) return false;
    ++found;
  }
  return found == line_.size();
}

void TextRules::set_constant(std::int32_t feature, float value) {
  for (std::size_t n = 0; n < value_.size(); ++n)
    if (feature_[n] == feature) value_[n] = value;
}

void TextRules::write(RuleTableWriter& writer, std::int64_t begin, std::int64_t end) const {
  Room room;
  for (std::int64_t place = begin; place < std::min(end, size()); ++place)
    writer.add(view(place, room));
}

RuleView TextRules::view(std::int64_t place, Room& room) const {
  const std::int64_t rule = order_[at(place)];
  const auto names = at(features_.size());
  room.features.assign(names + width_, 0.0F);
  for (std::int64_t n = feature_start_[at(rule)]; n < feature_start_[at(rule) + 1]; ++n)
    room.features[feature_[at(n)]] = value_[at(n)];
  std::copy_n(columns_.data() + at(rule) * width_, width_, room.features.data() + names);
  RuleView view;
  view.left = left_[at(rule)];
  view.source = source_[rule];
  view.target = target_[rule];
  view.links = {links_.data() + link_start_[at(rule)],
                at(link_start_[at(rule) + 1] - link_start_[at(rule)])};
  view.count = counts_[at(rule)][0];
  view.source_count = counts_[at(rule)][1];
  view.target_count = counts_[at(rule)][2];
  view.features = room.features;
  return view;
}

}  // namespace rosewood
