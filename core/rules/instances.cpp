#include "rules/instances.hpp"

#include <algorithm>
#include <bit>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {
namespace {

constexpr std::int64_t block = 256;  // sentences that a thread takes at a time
constexpr int phrase_row = 4, gap_row = 7;
constexpr std::uint64_t low_17 = (std::uint64_t{1} << 17) - 1;

/// The name of a side: its runs of words (40 bits each) and whether gaps are between them, in an
/// order in which names ascend as rules do.
void put_name(std::uint64_t* name, const std::uint64_t run[3], std::int32_t gaps, bool is_crossed) {
  name[0] = run[0] << 24 | std::uint64_t{gaps > 0} << 23 | run[1] >> 17;
  name[1] = (run[1] & low_17) << 47 | std::uint64_t{gaps > 1} << 46 | run[2] << 6 |
            std::uint64_t{is_crossed} << 5;
}

/// Lengths of the runs of a name.
void read_lengths(const std::uint64_t* name, std::int32_t length[3]) {
  length[0] = static_cast<std::int32_t>(name[0] >> 24 & 0xff);
  length[1] = static_cast<std::int32_t>(name[1] >> 47 & 0xff);
  length[2] = static_cast<std::int32_t>(name[1] >> 6 & 0xff);
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

std::uint64_t place_bits(std::int64_t source, std::int32_t target, int backward, int forward) {
  return static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint64_t>(target) << 4 |
         static_cast<std::uint64_t>(backward) << 2 | static_cast<std::uint64_t>(forward);
}

}  // namespace

std::uint64_t RuleShape::packed_runs() const {
  std::uint64_t made = static_cast<std::uint64_t>(gaps) << 1 | std::uint64_t{is_crossed};
  for (int n = 0; n < 3; ++n) {
    made = made << 8 | static_cast<std::uint64_t>(source[n]);
    made = made << 8 | static_cast<std::uint64_t>(target[n]);
  }
  return made;
}

std::uint64_t RuleShape::packed_gaps() const {
  std::uint64_t made = 0;
  for (int n = 0; n < 2; ++n) {
    made = made << 8 | static_cast<std::uint64_t>(source_gap[n]);
    made = made << 8 | static_cast<std::uint64_t>(target_gap[n]);
  }
  return made;
}

RuleShape RuleShape::unpacked(std::uint64_t runs, std::uint64_t gaps) {
  RuleShape shape;
  for (int n = 2; n >= 0; --n) {
    shape.target[n] = static_cast<std::int32_t>(runs & 0xff);
    shape.source[n] = static_cast<std::int32_t>(runs >> 8 & 0xff);
    runs >>= 16;
  }
  shape.is_crossed = runs & 1;
  shape.gaps = static_cast<std::int32_t>(runs >> 1);
  for (int n = 1; n >= 0; --n) {
    shape.target_gap[n] = static_cast<std::int32_t>(gaps & 0xff);
    shape.source_gap[n] = static_cast<std::int32_t>(gaps >> 8 & 0xff);
    gaps >>= 16;
  }
  return shape;
}

void read_rule(const AlignedCorpus& corpus, const RuleShape& shape, RulePlace place,
               RuleText& text) {
  thread_local std::vector<std::int32_t> source_symbol, target_symbol;
  const std::int64_t k = corpus.source.sentence_of(place.source);
  const auto source = corpus.source.ids.subspan(place.source);
  text.sentence = k;
  text.target_place = corpus.target.start[static_cast<std::size_t>(k)] + place.target;
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
  const auto begin =
      static_cast<std::int32_t>(place.source - corpus.source.start[static_cast<std::size_t>(k)]);
  const auto first = static_cast<std::size_t>(corpus.links.start[static_cast<std::size_t>(k)]);
  const auto count =
      static_cast<std::size_t>(corpus.links.start[static_cast<std::size_t>(k) + 1]) - first;
  read_links(corpus.links.source.subspan(first, count), corpus.links.target.subspan(first, count),
             shape, begin, static_cast<std::int32_t>(place.target), source_symbol, target_symbol,
             text.links);
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

struct InstanceCollector::Worker {
  AlignedSentence sentence;
  Orientations orientations;
  std::vector<std::int32_t> source_symbol, target_symbol;
  std::vector<RuleLink> links;
  std::vector<std::uint64_t> rows;

  std::uint64_t* add(int width) {
    rows.resize(rows.size() + static_cast<std::size_t>(width));
    return rows.data() + rows.size() - width;
  }
  std::uint64_t pattern(const RuleShape& shape, std::int32_t source, std::int32_t target) {
    read_links(sentence.link_source(), sentence.link_target(), shape, source, target, source_symbol,
               target_symbol, links);
    return link_pattern(links, shape.source_symbols(), shape.target_symbols());
  }
};

InstanceCollector::InstanceCollector(const AlignedCorpus& corpus, const InstanceSettings& settings,
                                     std::span<const std::uint32_t> source_ranks,
                                     std::span<const std::uint32_t> target_ranks, SortRoom room)
    : corpus_(corpus),
      settings_(settings),
      source_ranks_(source_ranks),
      target_ranks_(target_ranks),
      threads_(room.threads),
      sorter_(settings.has_gaps ? gap_row : phrase_row, settings.has_gaps ? 5 : 3, std::move(room),
              "instances") {
  const auto want = [](const TextView& text, std::int32_t length) {
    return text.ids.size() * static_cast<std::size_t>(length);
  };
  if (source_ranks.size() != want(corpus.source, settings.longest_source()) ||
      target_ranks.size() != want(corpus.target, settings.longest_target()))
    fail<RuleError>("the ranks are not those of this corpus");
}

std::uint64_t InstanceCollector::source_key(std::int64_t place, std::int32_t length) const {
  if (length == 0) return 0;
  return phrase_key(
      source_ranks_[static_cast<std::size_t>(place * settings_.longest_source() + length - 1)],
      length);
}

std::uint64_t InstanceCollector::target_key(std::int64_t place, std::int32_t length) const {
  if (length == 0) return 0;
  return phrase_key(
      target_ranks_[static_cast<std::size_t>(place * settings_.longest_target() + length - 1)],
      length);
}

void InstanceCollector::add(std::int64_t begin, std::int64_t end) {
  const std::int64_t blocks = (end - begin + block - 1) / block;
  std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(blocks));
  parallel_blocks(
      blocks, threads_, [] { return Worker(); },
      [&](Worker& worker, std::int64_t b) {
        worker.rows.clear();
        const std::int64_t last = std::min(end, begin + (b + 1) * block);
        for (std::int64_t k = begin + b * block; k < last; ++k)
          settings_.has_gaps ? gapped(worker, k) : phrases(worker, k);
        rows[static_cast<std::size_t>(b)] = worker.rows;
      });
  const auto width = static_cast<std::size_t>(settings_.has_gaps ? gap_row : phrase_row);
  for (const auto& some : rows)
    for (std::size_t at = 0; at < some.size(); at += width)
      std::copy_n(some.data() + at, width, sorter_.add());
}

void InstanceCollector::phrases(Worker& worker, std::int64_t k) const {
  corpus_.set(worker.sentence, k);
  const auto at = static_cast<std::size_t>(k);
  const std::int64_t source = corpus_.source.start[at], target = corpus_.target.start[at];
  const OrientationKind kind = settings_.orientation;
  if (settings_.has_orientation) worker.orientations.set(worker.sentence, settings_.max_phrase);
  RuleShape shape;
  for_each_phrase(worker.sentence, settings_.max_phrase, settings_.max_phrase, [&](const Box& box) {
    shape.source[0] = box.source_size();
    shape.target[0] = box.target_size();
    std::uint64_t* row = worker.add(phrase_row);
    row[0] = source_key(source + box.source_begin, shape.source[0]) << 24;
    row[1] = target_key(target + box.target_begin, shape.target[0]) << 24;
    row[2] = worker.pattern(shape, box.source_begin, box.target_begin);
    int backward = 0, forward = 0;
    if (settings_.has_orientation) {
      backward = static_cast<int>(worker.orientations.backward(kind, box));
      forward = static_cast<int>(worker.orientations.forward(kind, box));
    }
    row[3] = place_bits(source + box.source_begin, box.target_begin, backward, forward);
  });
}

void InstanceCollector::gapped(Worker& worker, std::int64_t k) const {
  corpus_.set(worker.sentence, k);
  const auto at = static_cast<std::size_t>(k);
  const std::int64_t source = corpus_.source.start[at], target = corpus_.target.start[at];
  for_each_gapped(worker.sentence, settings_.gaps, [&](const GappedRule& rule) {
    RuleShape shape;
    shape.gaps = rule.gaps;
    shape.is_crossed = rule.gaps == 2 && rule.gap[1].target_begin < rule.gap[0].target_begin;
    std::uint64_t source_run[3] = {}, target_run[3] = {};
    std::int32_t i = rule.outer.source_begin, j = rule.outer.target_begin;
    for (std::int32_t part = 0; part <= rule.gaps; ++part) {
      const bool is_last = part == rule.gaps;
      const Box& by_source = rule.gap[is_last ? 0 : part];
      const Box& by_target = rule.gap[is_last ? 0 : shape.is_crossed ? 1 - part : part];
      shape.source[part] = (is_last ? rule.outer.source_end : by_source.source_begin) - i;
      shape.target[part] = (is_last ? rule.outer.target_end : by_target.target_begin) - j;
      source_run[part] = source_key(source + i, shape.source[part]);
      target_run[part] = target_key(target + j, shape.target[part]);
      if (is_last) break;
      shape.source_gap[part] = by_source.source_size();
      shape.target_gap[part] = by_target.target_size();
      i = by_source.source_end;
      j = by_target.target_end;
    }
    const std::uint64_t pattern =
        worker.pattern(shape, rule.outer.source_begin, rule.outer.target_begin);
    std::uint64_t* row = worker.add(gap_row);
    put_name(row, source_run, shape.gaps, false);
    put_name(row + 2, target_run, shape.gaps, shape.is_crossed);
    row[4] = pattern;
    row[5] = place_bits(source + rule.outer.source_begin, rule.outer.target_begin, 0, 0);
    row[6] = static_cast<std::uint64_t>(rule.share) << 32 | shape.packed_gaps();
  });
}

InstanceCollector::Instance InstanceCollector::read(const std::uint64_t* row) const {
  const int size = name_size();
  Instance made{};
  made.source = row;
  made.target = row + size;
  made.links = row[2 * size];
  const std::uint64_t place = row[2 * size + 1];
  made.place = {static_cast<std::uint32_t>(place >> 32),
                static_cast<std::uint32_t>(place >> 4 & 0xfffffff)};
  made.backward = static_cast<int>(place >> 2 & 3);
  made.forward = static_cast<int>(place & 3);
  made.share = 1;
  if (!settings_.has_gaps) {
    made.shape.source[0] = static_cast<std::int32_t>(row[0] >> 24 & 0xff);
    made.shape.target[0] = static_cast<std::int32_t>(row[1] >> 24 & 0xff);
    return made;
  }
  const std::uint64_t last = row[2 * size + 2];
  made.shape = RuleShape::unpacked(0, last & 0xffffffff);
  made.shape.gaps = static_cast<std::int32_t>((row[0] >> 23 & 1) + (row[1] >> 46 & 1));
  made.shape.is_crossed = row[3] >> 5 & 1;
  read_lengths(row, made.shape.source);
  read_lengths(row + 2, made.shape.target);
  made.share = static_cast<std::int32_t>(last >> 32);
  return made;
}

}  // namespace rosewood
