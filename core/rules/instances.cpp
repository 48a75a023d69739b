#include "rules/instances.hpp"

#include <algorithm>
#include <bit>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {
namespace {

constexpr std::int64_t block = 256;  // sentences that a thread takes at a time
constexpr std::size_t held_numbers = std::size_t{1} << 17;  // of rows that a thread holds
constexpr int share_bits = 24;  // of how many rules come from one phrase pair

int bits_for(std::int64_t most) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)));
}

/// Where the symbols of one side stand: words by their offset from where the rule begins, gaps
/// passed over.
template <class Word, class Gap>
void walk_side(std::int32_t gaps, const std::int32_t run[3], const std::int32_t gap[2], Word&& word,
               Gap&& at_gap) {
  std::int32_t offset = 0;
  for (std::int32_t part = 0; part <= gaps; ++part) {
    for (std::int32_t n = 0; n < run[part]; ++n) word(offset++);
    if (part < gaps) {
      at_gap(part);
      offset += gap[part];
    }
  }
}

/// Symbols of the words of one side, by their offset; -1 for words in gaps.
void number_symbols(std::int32_t gaps, const std::int32_t run[3], const std::int32_t gap[2],
                    std::vector<std::int32_t>& symbol) {
  symbol.clear();
  std::int32_t next = 0;
  for (std::int32_t part = 0; part <= gaps; ++part) {
    for (std::int32_t n = 0; n < run[part]; ++n) symbol.push_back(next++);
    if (part < gaps) {
      symbol.insert(symbol.end(), static_cast<std::size_t>(gap[part]), -1);
      ++next;
    }
  }
}

/// Links of a rule, in the order of its source; `all` and `partner` are those of its sentence.
void read_links(std::span<const std::int32_t> all, std::span<const std::int32_t> partner,
                const RuleShape& shape, std::int32_t source_begin, std::int32_t target_begin,
                std::vector<std::int32_t>& source_symbol, std::vector<std::int32_t>& target_symbol,
                std::vector<RuleLink>& links) {
  number_symbols(shape.gaps, shape.source, shape.source_gap, source_symbol);
  number_symbols(shape.gaps, shape.target, shape.target_gap, target_symbol);
  links.clear();
  auto n = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), source_begin) -
                                    all.begin());
  const auto source_end = source_begin + static_cast<std::int32_t>(source_symbol.size());
  for (; n < all.size() && all[n] < source_end; ++n) {
    const std::int32_t i = source_symbol[static_cast<std::size_t>(all[n] - source_begin)];
    if (i < 0) continue;
    const std::int32_t j = target_symbol[static_cast<std::size_t>(partner[n] - target_begin)];
    if (j >= 0) links.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
  }
}

}  // namespace

void read_rule_links(const AlignedCorpus& corpus, const RuleShape& shape, RulePlace place,
                     std::vector<RuleLink>& links) {
  thread_local std::vector<std::int32_t> source_symbol, target_symbol;
  const auto k = static_cast<std::size_t>(corpus.source.sentence_of(place.source));
  const auto begin = static_cast<std::int32_t>(place.source - corpus.source.start[k]);
  const auto first = static_cast<std::size_t>(corpus.links.start[k]);
  const auto count = static_cast<std::size_t>(corpus.links.start[k + 1]) - first;
  read_links(corpus.links.source.subspan(first, count), corpus.links.target.subspan(first, count),
             shape, begin, static_cast<std::int32_t>(place.target), source_symbol, target_symbol,
             links);
}

void read_rule(const AlignedCorpus& corpus, const RuleShape& shape, RulePlace place,
               RuleText& text) {
  text.sentence = corpus.source.sentence_of(place.source);
  text.target_place = corpus.target.start[static_cast<std::size_t>(text.sentence)] + place.target;
  const auto source = corpus.source.ids.subspan(place.source);
  const auto target = corpus.target.ids.subspan(static_cast<std::size_t>(text.target_place));
  text.source.clear();
  text.target.clear();
  walk_side(
      shape.gaps, shape.source, shape.source_gap,
      [&](std::int32_t offset) { text.source.push_back(source[static_cast<std::size_t>(offset)]); },
      [&](std::int32_t) { text.source.push_back(-1); });
  walk_side(
      shape.gaps, shape.target, shape.target_gap,
      [&](std::int32_t offset) { text.target.push_back(target[static_cast<std::size_t>(offset)]); },
      [&](std::int32_t gap) { text.target.push_back(-1 - (shape.is_crossed ? 1 - gap : gap)); });
  read_rule_links(corpus, shape, place, text.links);
}

std::uint64_t link_pattern(std::span<const RuleLink> links, std::int32_t source_symbols,
                           std::int32_t target_symbols) {
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  if (source_symbols * target_symbols <= 63) {
    std::uint64_t made = 0;
    for (const RuleLink& link : links)
      made |= std::uint64_t{1} << (link.target * source_symbols + link.source);
    return made;
  }
  std::uint64_t hash = links.size();
  for (const RuleLink& link : links) {
    hash = (hash ^ (std::uint64_t{link.source} << 16 | link.target)) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 31;
  }
  return hash | top;
}

bool is_taken_before(std::uint64_t a, std::uint64_t b, std::int32_t source_symbols) {
  if (a == b || (a | b) >> 63) return false;
  const int differ = std::countr_zero(a ^ b);
  // The target word in question is that of the first bit that differs; what a row has behind it
  // decides: partners are compared one by one, and whoever has none left is the lesser.
  const int row = differ / source_symbols * source_symbols;
  const std::uint64_t width = ((std::uint64_t{1} << source_symbols) - 1) << row;
  const bool a_has = a >> differ & 1;
  const std::uint64_t other_rest = ((a_has ? b : a) & width) >> differ;
  return a_has == (other_rest == 0);
}

InstanceFields::InstanceFields(const AlignedCorpus& corpus, const InstanceSettings& settings) {
  const int runs = settings.has_gaps ? 3 : 1;
  const auto place_bits = [](const TextView& text) {
    return bits_for(static_cast<std::int64_t>(text.ids.size()));
  };
  const int source_places = place_bits(corpus.source), target_places = place_bits(corpus.target);
  const auto add_side = [&](Side& side, int places, std::int32_t longest) {
    for (int n = 0; n < runs; ++n) {
      side.run[n] = {all.add(places), all.add(bits_for(longest))};
      if (n + 1 < runs) side.has_gap[n] = all.add(1);
    }
  };
  add_side(source, source_places, settings.longest_source());
  source_bits = all.size();
  add_side(target, target_places, settings.longest_target());
  if (settings.has_gaps) target.is_crossed = all.add(1);
  name_bits = all.size();
  std::int64_t longest = 0;
  for (std::int64_t k = 0; k < corpus.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    longest = std::max(longest, corpus.target.start[at + 1] - corpus.target.start[at]);
  }
  source_place = all.add(source_places);
  target_place = all.add(bits_for(longest));
  if (settings.has_orientation) {
    backward = all.add(2);
    forward = all.add(2);
  }
  if (!settings.has_gaps) return;
  for (int n = 0; n < 2; ++n) {
    source_gap[n] = all.add(bits_for(settings.gaps.max_source));
    target_gap[n] = all.add(bits_for(settings.gaps.max_target));
  }
  share = all.add(share_bits);
}

namespace {

/// Places of the values of one side of a sentence.
class ValuePlaces {
 public:
  void set(const TextView& text, std::int64_t sentence, const std::vector<std::int32_t>& values) {
    places_.clear();
    if (values.empty()) return;
    const auto at = static_cast<std::size_t>(sentence);
    const auto begin = text.start[at];
    for (auto place = begin; place < text.start[at + 1]; ++place)
      if (std::ranges::find(values, text.ids[static_cast<std::size_t>(place)]) != values.end())
        places_.push_back(static_cast<std::int32_t>(place - begin));
  }
  bool is_empty() const { return places_.empty(); }
  std::ptrdiff_t within(std::int32_t begin, std::int32_t end) const {
    return std::ranges::count_if(places_, [=](auto at) { return begin <= at && at < end; });
  }

 private:
  std::vector<std::int32_t> places_;
};

}  // namespace

struct InstanceCollector::Worker {
  explicit Worker(InstanceCollector& hands_on_to) : collector(hands_on_to) {}

  InstanceCollector& collector;
  AlignedSentence sentence;
  Orientations orientations;
  ValuePlaces source_values, target_values;
  std::vector<std::uint64_t> rows;

  bool has_values() const { return !source_values.is_empty() || !target_values.is_empty(); }

  /// Whether the words in a box, but for those in its gaps, may be a rule.
  bool is_allowed(const Box& box, std::span<const Box> gaps = {}) const {
    std::ptrdiff_t source = source_values.within(box.source_begin, box.source_end);
    std::ptrdiff_t target = target_values.within(box.target_begin, box.target_end);
    for (const Box& gap : gaps) {
      source -= source_values.within(gap.source_begin, gap.source_end);
      target -= target_values.within(gap.target_begin, gap.target_end);
    }
    return source == target && source <= 1;
  }

  /// One sentence may have millions of rules: what has gathered is handed on in the middle of it.
  std::uint64_t* add(int width) {
    if (rows.size() >= held_numbers) collector.take(rows);
    rows.resize(rows.size() + static_cast<std::size_t>(width));
    return rows.data() + rows.size() - width;
  }
};

InstanceCollector::InstanceCollector(const AlignedCorpus& corpus, const InstanceSettings& settings,
                                     std::span<const std::uint32_t> source_ranks,
                                     std::span<const std::uint32_t> target_ranks, SortRoom room)
    : corpus_(corpus),
      settings_(settings),
      fields_(corpus, settings),
      source_ranks_(source_ranks),
      target_ranks_(target_ranks),
      threads_(room.threads),
      sorter_(fields_.all.words(), fields_.all.words(), std::move(room), "instances") {
  const auto want = [](const TextView& text, std::int32_t length) {
    return text.ids.size() * static_cast<std::size_t>(length);
  };
  if (source_ranks.size() != want(corpus.source, settings.longest_source()) ||
      target_ranks.size() != want(corpus.target, settings.longest_target()))
    fail<RuleError>("rules.other-corpus", "the ranks are not those of this corpus");
}

void InstanceCollector::put_source(std::uint64_t* row, const InstanceFields::Run& run,
                                   std::int64_t place, std::int32_t length) const {
  if (length == 0) return;
  const std::int64_t at = place * settings_.longest_source() + length - 1;
  BitFields::put(row, run.rank, source_ranks_[static_cast<std::size_t>(at)]);
  BitFields::put(row, run.length, static_cast<std::uint64_t>(length));
}

void InstanceCollector::put_target(std::uint64_t* row, const InstanceFields::Run& run,
                                   std::int64_t place, std::int32_t length) const {
  if (length == 0) return;
  const std::int64_t at = place * settings_.longest_target() + length - 1;
  BitFields::put(row, run.rank, target_ranks_[static_cast<std::size_t>(at)]);
  BitFields::put(row, run.length, static_cast<std::uint64_t>(length));
}

void InstanceCollector::put_place(std::uint64_t* row, std::int64_t source,
                                  std::int32_t target) const {
  BitFields::put(row, fields_.source_place, static_cast<std::uint64_t>(source));
  BitFields::put(row, fields_.target_place, static_cast<std::uint64_t>(target));
}

void InstanceCollector::add(std::int64_t begin, std::int64_t end) {
  parallel_blocks((end - begin + block - 1) / block, threads_, [this] { return Worker(*this); },
                  [&](Worker& worker, std::int64_t b) {
                    const std::int64_t last = std::min(end, begin + (b + 1) * block);
                    for (std::int64_t k = begin + b * block; k < last; ++k)
                      settings_.has_gaps ? gapped(worker, k) : phrases(worker, k);
                    take(worker.rows);
                  });
}

/// Rows are sorted by all that is in them: the order in which they come does not matter.
void InstanceCollector::take(std::vector<std::uint64_t>& rows) {
  const auto width = static_cast<std::size_t>(fields_.all.words());
  const std::scoped_lock one_at_a_time(taking_);
  for (std::size_t at = 0; at < rows.size(); at += width)
    std::copy_n(rows.data() + at, width, sorter_.add());
  rows.clear();
}

void InstanceCollector::set_values(Worker& worker, std::int64_t sentence) const {
  worker.source_values.set(corpus_.source, sentence, settings_.source_values);
  worker.target_values.set(corpus_.target, sentence, settings_.target_values);
}

void InstanceCollector::phrases(Worker& worker, std::int64_t k) const {
  corpus_.set(worker.sentence, k);
  set_values(worker, k);
  const bool has_values = worker.has_values();
  const auto at = static_cast<std::size_t>(k);
  const std::int64_t source = corpus_.source.start[at], target = corpus_.target.start[at];
  const OrientationKind kind = settings_.orientation;
  if (settings_.has_orientation) worker.orientations.set(worker.sentence, settings_.max_phrase);
  for_each_phrase(worker.sentence, settings_.max_phrase, settings_.max_phrase, [&](const Box& box) {
    if (has_values && !worker.is_allowed(box)) return;
    std::uint64_t* row = worker.add(fields_.all.words());
    put_source(row, fields_.source.run[0], source + box.source_begin, box.source_size());
    put_target(row, fields_.target.run[0], target + box.target_begin, box.target_size());
    put_place(row, source + box.source_begin, box.target_begin);
    if (!settings_.has_orientation) return;
    const auto backward = worker.orientations.backward(kind, box);
    const auto forward = worker.orientations.forward(kind, box);
    BitFields::put(row, fields_.backward, static_cast<std::uint64_t>(backward));
    BitFields::put(row, fields_.forward, static_cast<std::uint64_t>(forward));
  });
}

void InstanceCollector::gapped(Worker& worker, std::int64_t k) const {
  corpus_.set(worker.sentence, k);
  set_values(worker, k);
  const bool has_values = worker.has_values();
  const auto at = static_cast<std::size_t>(k);
  const std::int64_t source = corpus_.source.start[at], target = corpus_.target.start[at];
  for_each_gapped(worker.sentence, settings_.gaps, [&](const GappedRule& rule) {
    if (rule.share >> share_bits)
      fail<RuleError>("rules.too-many", "sentence pair ", k + 1, ": ", rule.share,
                      " rules come from one phrase pair; allow shorter ones or fewer symbols");
    const auto gaps = std::span(rule.gap).first(static_cast<std::size_t>(rule.gaps));
    if (has_values && !worker.is_allowed(rule.outer, gaps)) return;
    const bool is_crossed = rule.gaps == 2 && rule.gap[1].target_begin < rule.gap[0].target_begin;
    std::uint64_t* row = worker.add(fields_.all.words());
    std::int32_t i = rule.outer.source_begin, j = rule.outer.target_begin;
    for (std::int32_t part = 0; part < rule.gaps; ++part) {
      const auto n = static_cast<std::size_t>(part);
      const Box& by_source = rule.gap[n];
      const Box& by_target = rule.gap[is_crossed ? 1 - n : n];
      put_source(row, fields_.source.run[n], source + i, by_source.source_begin - i);
      put_target(row, fields_.target.run[n], target + j, by_target.target_begin - j);
      BitFields::put(row, fields_.source.has_gap[n], 1);
      BitFields::put(row, fields_.target.has_gap[n], 1);
      BitFields::put(row, fields_.source_gap[n],
                     static_cast<std::uint64_t>(by_source.source_size()));
      BitFields::put(row, fields_.target_gap[n],
                     static_cast<std::uint64_t>(by_target.target_size()));
      i = by_source.source_end;
      j = by_target.target_end;
    }
    const auto last = static_cast<std::size_t>(rule.gaps);
    put_source(row, fields_.source.run[last], source + i, rule.outer.source_end - i);
    put_target(row, fields_.target.run[last], target + j, rule.outer.target_end - j);
    BitFields::put(row, fields_.target.is_crossed, std::uint64_t{is_crossed});
    put_place(row, source + rule.outer.source_begin, rule.outer.target_begin);
    BitFields::put(row, fields_.share, static_cast<std::uint64_t>(rule.share));
  });
}

InstanceCollector::Instance InstanceCollector::read(const std::uint64_t* row) const {
  const auto get = [row](InstanceFields::Field field) {
    return static_cast<std::int32_t>(BitFields::get(row, field));
  };
  Instance made{};
  made.place = {static_cast<std::uint32_t>(BitFields::get(row, fields_.source_place)),
                static_cast<std::uint32_t>(BitFields::get(row, fields_.target_place))};
  made.backward = get(fields_.backward);
  made.forward = get(fields_.forward);
  made.share = settings_.has_gaps ? get(fields_.share) : 1;
  for (int n = 0; n < (settings_.has_gaps ? 3 : 1); ++n) {
    made.shape.source[n] = get(fields_.source.run[n].length);
    made.shape.target[n] = get(fields_.target.run[n].length);
    if (n == 2) break;
    made.shape.gaps += get(fields_.source.has_gap[n]);
    made.shape.source_gap[n] = get(fields_.source_gap[n]);
    made.shape.target_gap[n] = get(fields_.target_gap[n]);
  }
  made.shape.is_crossed = get(fields_.target.is_crossed);
  return made;
}

std::array<std::uint64_t, 2> InstanceCollector::target_name(const std::uint64_t* row) const {
  std::array<std::uint64_t, 2> name{};
  BitFields made;
  const auto copy = [&](InstanceFields::Field field) {
    BitFields::put(name.data(), made.add(field.bits), BitFields::get(row, field));
  };
  for (int n = 0; n < 3; ++n) {
    copy(fields_.target.run[n].rank);
    copy(fields_.target.run[n].length);
    if (n < 2) copy(fields_.target.has_gap[n]);
  }
  copy(fields_.target.is_crossed);
  return name;
}

}  // namespace rosewood
