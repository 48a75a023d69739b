// core/lm/small.cpp: opening, checking, reading back and writing the small layout.
#include "lm/small.hpp"

#include <cmath>

namespace rosewood {

namespace {

const auto no_parent = [](std::uint64_t) {};

}  // namespace

SmallLayout::SmallLayout(const Sections& sections, std::span<const std::uint64_t> counts, int bits)
    : unigrams_(sections.exactly("1", 16 * (counts[0] + 1))), levels_(counts.size()) {
  if (bits < 0 || bits > 16)
    fail<LanguageModelError>({"file.damaged", "quantised"}, "its numbers have ", bits, " bits");
  levels_[0].count = counts[0];
  for (std::size_t n = 2; n <= counts.size(); ++n) {
    const std::string name = std::to_string(n);
    const bool is_highest = n == counts.size();
    Level& level = levels_[n - 1];
    level.count = counts[n - 1];
    level.shape = RecordShape(counts[0], bits, is_highest);
    const auto records = sections[name];
    if (level.count > records.size() * 8 ||
        records.size() != bytes_for_bits(level.place(level.count)))
      fail<LanguageModelError>({"file.damaged", "bytes"}, level.count, " n-grams of order ", n,
                               " have ", records.size(), " bytes");
    level.records = records.data();
    if (bits)
      level.values =
          sections.exactly(name + ".values", (std::uint64_t{4} << bits) * (is_highest ? 1 : 2));
    if (!is_highest)
      level.degrees = NgramDegrees(sections[name + ".children"], sections[name + ".kept"],
                                   level.count, counts[n]);
  }
}

void SmallLayout::check() const {
  const auto check_numbers = [](const Found& found) {
    if (!(found.probability <= 0.0F) || !std::isfinite(found.probability) ||
        !std::isfinite(found.backoff))
      fail<LanguageModelError>({"file.damaged", "probability"},
                               "a probability or back-off is no number");
  };
  Cursor at;
  std::uint64_t last = 0;
  for (std::uint64_t w = 0; w <= levels_[0].count; ++w) {
    const auto first = loaded<std::uint64_t>(unigrams_ + 16 * w + 8);
    if (first < last || (w == levels_[0].count && first != (order() > 1 ? levels_[1].count : 0)))
      fail<LanguageModelError>({"file.damaged", "counts"},
                               "the bigrams of its words do not add up");
    last = first;
    check_numbers(unigram(static_cast<std::uint32_t>(w), at));
  }
  for (int n = 2; n <= order(); ++n) {
    const Level& level = levels_[n - 1];
    if (n < order()) level.degrees.check();
    for (std::uint64_t parent = 0; parent < levels_[n - 2].count; ++parent) {
      const NgramDegrees::Range range = children(n - 1, parent);
      for (std::uint64_t i = range.begin; i < range.end; ++i) {
        if (level.word(i) >= levels_[0].count ||
            (i > range.begin && level.word(i) <= level.word(i - 1)))
          fail<LanguageModelError>({"file.damaged", "order"}, "the n-grams of order ", n,
                                   " are not in suffix order");
        check_numbers(level.found(i));
      }
    }
  }
}

NgramTable SmallLayout::table() const {
  NgramTable table;
  for (int n = 1; n <= order(); ++n) {
    const Level& level = levels_[n - 1];
    NgramOrder& out = table.orders.emplace_back();
    for (std::uint64_t i = 0; i < level.count; ++i) {
      Cursor at;
      const auto word = n == 1 ? static_cast<std::uint32_t>(i) : level.word(i);
      const Found found = n == 1 ? unigram(word, at) : level.found(i);
      out.word.push(word);
      out.probability.push(found.probability);
      if (n == order()) continue;
      const NgramDegrees::Range range = children(n, i);
      out.children.push(static_cast<std::uint32_t>(range.end - range.begin));
      out.backoff.push(found.backoff);
    }
  }
  return table;
}

std::vector<std::string> SmallWriter::parts() const {
  std::vector<std::string> names{"1"};
  for (int n = 2; n <= table_.order(); ++n) {
    const std::string name = std::to_string(n);
    if (bits_) names.push_back(name + ".values");
    names.push_back(name);
    if (n == table_.order()) break;
    names.push_back(name + ".children");
    names.push_back(name + ".kept");
  }
  return names;
}

void SmallWriter::write(const std::string& part, Sink& sink) {
  const int n = std::stoi(part);
  const auto write_degrees = [&](Sink& bits, auto&& keep) {
    auto children = table_.orders[n - 1].children.read();
    NgramDegrees::write(table_.size(n), [&] { return children.next(); }, bits, keep);
  };
  if (n == 1) {
    write_unigrams(sink);
  } else if (part.ends_with(".values")) {
    write_values(n, sink);
  } else if (part.ends_with(".children")) {
    write_degrees(sink, [](std::uint64_t) {});
  } else if (part.ends_with(".kept")) {
    Sink nowhere([](std::span<const std::uint8_t>) {});
    write_degrees(nowhere, [&](std::uint64_t place) { sink.put(place); });
  } else {
    write_records(n, sink);
  }
}

void SmallWriter::write_unigrams(Sink& sink) const {
  std::uint64_t children = 0;
  walk_order(table_, 1, no_parent, [&](std::uint64_t, const Ngram& ngram) {
    sink.put(ngram.probability);
    sink.put(ngram.backoff);
    sink.put(children);
    children += ngram.children;
  });
  sink.put(std::uint64_t{0});
  sink.put(children);
}

void SmallWriter::write_values(int n, Sink& sink) {
  const bool is_highest = n == table_.order();
  Histogram probabilities, backoffs;
  walk_order(table_, n, no_parent, [&](std::uint64_t, const Ngram& ngram) {
    probabilities.add(ngram.probability);
    if (ngram.backoff != 0.0F) backoffs.add(ngram.backoff);
  });
  probabilities_.emplace(probabilities, bits_, false);
  backoffs_.emplace(backoffs, bits_, true);
  for (const float value : probabilities_->values()) sink.put(value);
  if (is_highest) return;
  for (const float value : backoffs_->values()) sink.put(value);
}

void SmallWriter::write_records(int n, Sink& sink) const {
  const RecordShape shape(table_.size(1), bits_, n == table_.order());
  BitWriter out(sink);
  walk_order(table_, n, no_parent, [&](std::uint64_t, const Ngram& ngram) {
    out.push(ngram.word, shape.word);
    out.push(bits_ ? probabilities_->code(ngram.probability)
                   : std::bit_cast<std::uint32_t>(std::fabs(ngram.probability)),
             shape.probability);
    if (shape.backoff)
      out.push(bits_ ? backoffs_->code(ngram.backoff) : std::bit_cast<std::uint32_t>(ngram.backoff),
               shape.backoff);
  });
  out.finish();
}

}  // namespace rosewood
