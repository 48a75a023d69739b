// core/rules/table_finish.cpp: the files of a rule table, when all rules have come.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include "rules/table_writer.hpp"
#include "util/varint.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t no_sentence = 0;
using Counts = Degrees<RuleError>;

/// Bits into a file; body(out) writes them.
template <class Body>
void write_bits(const std::string& path, Body&& body) {
  FileSink file(path);
  BitWriter out(file.sink());
  body(out);
  out.finish();
  file.close();
}

/// Numbers of children and the places kept of them; next() gives the numbers.
template <class Next>
void write_counts(const std::string& path, std::uint64_t nodes, Next&& next) {
  FileSink bits(path), kept(path + ".kept"), blocks(path + ".blocks");
  Counts::write(
      nodes, next, bits.sink(), [&](std::uint64_t place) { kept.sink().put(place); },
      [&](std::uint64_t before) { blocks.sink().put(before); });
  bits.close();
  kept.close();
  blocks.close();
}

}  // namespace

void RuleTableWriter::finish(std::span<const std::uint8_t> source_bytes,
                             std::span<const std::int64_t> source_start,
                             std::span<const std::uint8_t> target_bytes,
                             std::span<const std::int64_t> target_start) {
  if (is_finished_) fail<RuleError>("rules.call-order", "the table is finished");
  const auto check_words = [](const char* side, std::span<const std::int64_t> start,
                              std::size_t bytes, std::int64_t largest) {
    if (start.empty() || start[0] != 0 || start.back() != static_cast<std::int64_t>(bytes) ||
        !std::ranges::is_sorted(start))
      fail<RuleError>({"argument.shape", side}, "the ", side, " words do not go from 0 to ", bytes);
    if (largest >= static_cast<std::int64_t>(start.size()) - 1)
      fail<RuleError>({"argument.range", side, largest}, "there is no ", side, " word ", largest);
  };
  check_words("source", source_start, source_bytes.size(), max_source_word_);
  check_words("target", target_start, target_bytes.size(), max_target_word_);
  is_finished_ = true;
  if (size_) last_.push(1, 1);
  last_.finish();
  last_file_.close();
  close_levels(0);
  for (Level& level : levels_) {
    level.opened.close();
    level.children.close();
  }
  drafts_.close();
  ids_.close();
  pool_.close();
  links_.close();
  link_counts_.close();
  if (!has_text_) write_text({}, std::span(&no_sentence, 1));
  layout_.rules = size_;
  layout_.num_ids = num_ids_ ? *num_ids_ : last_id_ ? *last_id_ + 1 : 0;
  if (last_id_ && *last_id_ >= layout_.num_ids)
    fail<RuleError>({"argument.range", "id", *last_id_}, "a rule has the id ", *last_id_,
                    ", there are ", layout_.num_ids);
  layout_.labels = shape_.labels.size();
  layout_.features = shape_.features.size();
  layout_.source_words = source_start.size() - 1;
  layout_.source_bytes = source_bytes.size();
  layout_.target_words = target_start.size() - 1;
  layout_.target_bytes = target_bytes.size();
  write_words("source", source_bytes, source_start);
  write_words("target", target_bytes, target_start);
  write_nodes();
  write_links();
  write_pools();
  choose_codes();
  layout_.settle();
  write_codes();
  write_records();
  const std::vector<std::uint64_t> numbers = layout_.numbers();
  File file(path("layout"), "wb");
  file.write(numbers.data(), 8 * numbers.size());
  file.close();
  for (Level& level : levels_) {
    level.opened.discard();
    level.children.discard();
  }
  drafts_.discard();
  ids_.discard();
  pool_.discard();
  links_.discard();
  link_counts_.discard();
}

void RuleTableWriter::write_words(const std::string& side, std::span<const std::uint8_t> bytes,
                                  std::span<const std::int64_t> start) const {
  File words(path(side + ".words"), "wb");
  words.write(bytes.data(), bytes.size());
  words.close();
  write_bits(path(side + ".word_start"), [&](BitWriter& out) {
    const auto width = static_cast<int>(width_of(bytes.size()));
    for (const std::int64_t place : start) out.push(static_cast<std::uint64_t>(place), width);
  });
  const std::size_t count = start.size() - 1;
  const auto word = [&](std::uint32_t number) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()) + start[number],
                            static_cast<std::size_t>(start[number + 1] - start[number]));
  };
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, std::less<>(), word);
  for (std::size_t n = 0; n < count; ++n)
    if (word(order[n]).empty() || (n && word(order[n]) == word(order[n - 1])))
      fail<RuleError>("argument.duplicate", "the ", side, " word ", order[n],
                      " is empty or stands twice");
  write_bits(path(side + ".order"), [&](BitWriter& out) {
    for (const std::uint32_t number : order)
      out.push(number, static_cast<int>(width_of(count - 1)));
  });
}

/// Level by level.
template <class Body>
void RuleTableWriter::for_each_node(Body&& body) const {
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (auto reader = levels_[level].opened.read(); !reader.is_done();) {
      const Opened node = reader.next();
      body(node, level * size_ + node.first);
    }
}

void RuleTableWriter::write_nodes() {
  layout_.levels = levels_.size();
  layout_.symbol_width = width_of(max_rank_);
  const std::uint64_t each = layout_.nodes ? layout_.levels * size_ / layout_.nodes : 0;
  layout_.low_width = each ? width_of(each) - 1 : 0;
  const std::uint64_t below = (std::uint64_t{1} << layout_.low_width) - 1;
  Spool<std::uint32_t> steps(path("steps.part"));
  write_bits(path("nodes"), [&](BitWriter& out) {
    for_each_node([&](const Opened& node, std::uint64_t place) {
      out.push(node.rank, static_cast<int>(layout_.symbol_width));
      out.push(place & below, static_cast<int>(layout_.low_width));
      out.push(node.has_rules, 1);
      const std::uint64_t high = place >> layout_.low_width;
      steps.push(static_cast<std::uint32_t>(high - layout_.high_total));
      layout_.high_total = high;
    });
  });
  steps.close();
  auto step = steps.read();
  if (!step.is_done()) step.next();  // of the first node, which is at 0
  write_counts(path("places"), layout_.nodes, [&] { return step.is_done() ? 0U : step.next(); });
  steps.discard();
  std::size_t level = 0;
  std::optional<SpoolReader<std::uint32_t>> children;
  bool is_root = true;
  write_counts(path("children"), layout_.nodes + 1, [&] {
    if (std::exchange(is_root, false)) return open_children_[0];
    while (!children || children->is_done()) children.emplace(levels_[level++].children.read());
    return children->next();
  });
}

void RuleTableWriter::write_links() {
  layout_.num_links = links_.size();
  layout_.link_source_width = width_of(max_link_source_);
  layout_.link_target_width = width_of(max_link_target_);
  write_bits(path("links"), [&](BitWriter& out) {
    for (auto reader = links_.read(); !reader.is_done();) {
      const std::uint32_t link = reader.next();
      out.push(link >> 16, static_cast<int>(layout_.link_source_width));
      out.push(link & 0xffff, static_cast<int>(layout_.link_target_width));
    }
  });
  auto counts = link_counts_.read();
  write_counts(path("links.counts"), link_counts_.size(), [&] { return counts.next(); });
}

void RuleTableWriter::write_pools() {
  layout_.where = uses_text_ && uses_pool_ ? 2 : uses_pool_ ? 1 : 0;
  layout_.place_width = width_of(max_place_);
  layout_.length_width = width_of(max_length_);
  layout_.left_width = width_of(max_left_);
  layout_.sentence_width = width_of(max_sentence_);
  layout_.pool_size = pool_.size();
  const auto words = static_cast<std::uint64_t>(std::max<std::int64_t>(max_target_word_, 0));
  layout_.pool_width = std::max<std::uint64_t>(1, width_of(layout_.max_gaps + words));
  write_bits(path("pool"), [&](BitWriter& out) {
    for (auto reader = pool_.read(); !reader.is_done();) {
      const std::int32_t symbol = reader.next();
      out.push(static_cast<std::uint64_t>(
                   source_rank(symbol, static_cast<std::int32_t>(layout_.max_gaps))),
               static_cast<int>(layout_.pool_width));
    }
  });
  layout_.ids_width = ids_.size() ? width_of(layout_.num_ids - 1) : 0;
  write_bits(path("ids"), [&](BitWriter& out) {
    for (auto reader = ids_.read(); !reader.is_done();)
      out.push(reader.next(), static_cast<int>(layout_.ids_width));
  });
}

/// How codes are written, and which numbers have none: whatever takes the least room in all.
void RuleTableWriter::choose_codes() {
  for (const ColumnRange& range : ranges_) layout_.columns.push_back(range.code());
  std::uint64_t used = 0;
  const auto room = [&]() -> std::size_t {
    return used + 10 > most_shape_bits ? 1 : CodeWidths::most;
  };
  const auto take = [&](const CodeWidths& code) {
    used = TableLayout::next_shape(used, code.shape_width()) + code.shape_width();
  };
  if (size_) layout_.links = choose_widths(pattern_times_, room()).code;
  take(layout_.links);
  for (Group& group : groups_) {
    const std::span<const std::uint32_t> times = group.codes.times();
    group.order.resize(times.size());
    std::iota(group.order.begin(), group.order.end(), 0U);
    std::ranges::stable_sort(group.order, std::greater<>(),
                             [&](std::uint32_t code) { return times[code]; });
    group.rank.resize(times.size());
    std::vector<std::uint32_t> sorted;
    std::uint64_t coded = 0;
    for (const std::uint32_t code : group.order) {
      group.rank[code] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(times[code]);
      coded += times[code];
    }
    GroupLayout chosen;
    chosen.columns = group.columns;
    if (size_)
      chosen.code = choose_widths(sorted, room(), layout_.tuple_width(chosen), size_ - coded).code;
    take(chosen.code);
    layout_.groups.push_back(std::move(chosen));
  }
}

/// A number of a column as its code takes it.
std::uint64_t RuleTableWriter::encoded(std::uint64_t column, std::uint64_t bits) const {
  const ColumnCode& code = layout_.columns[column];
  return code.encoded(code.is_whole ? ColumnRange::whole_of(bits) : bits);
}

void RuleTableWriter::write_codes() {
  write_bits(path("codes"), [&](BitWriter& out) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (std::uint64_t code = 0; code < layout_.groups[g].code.codes; ++code)
        for (std::size_t n = 0; n < groups_[g].columns.size(); ++n) {
          const std::uint64_t column = groups_[g].columns[n];
          push_wide(out, encoded(column, groups_[g].codes.tuple(groups_[g].order[code])[n]),
                    layout_.columns[column].width);
        }
  });
}

void RuleTableWriter::write_records() {
  auto reader = drafts_.read();
  const auto draft = [&reader] { return next_varint(reader); };
  Spool<std::uint64_t> blocks(path("blocks.part"));
  FileSink shapes_file(path("shapes"));
  BitWriter shapes(shapes_file.sink());
  write_bits(path("records"), [&](BitWriter& out) {
    const auto push = [&](std::uint64_t value, std::uint64_t width) {
      out.push(value, static_cast<int>(width));
    };
    for (std::uint64_t rule = 0; rule < size_; ++rule) {
      if (rule % block_rules == 0) blocks.push(out.written());
      const std::uint64_t place = draft(), length = draft(), links = draft();
      const bool is_in_pool = place & 1;
      if (layout_.where == 2) push(is_in_pool ? 1 : 0, 1);
      push(place >> 1, layout_.place_width);
      push(length, layout_.length_width);
      if (shape_.labels.size() > 1) push(draft(), layout_.left_width);
      push(is_in_pool ? draft() : 0, layout_.sentence_width);
      const CodeWidths::Written written = layout_.links.written(links);
      push(written.value, written.width);
      std::uint64_t shape = written.shape;
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        const CodeWidths& widths = layout_.groups[g].code;
        const std::uint64_t told = draft();
        const bool has_code = told > 0;
        const std::uint64_t code = told - 1;
        if (has_code && group.rank[code] < widths.codes) {
          const CodeWidths::Written found = widths.written(group.rank[code]);
          push(found.value, found.width);
          shape |= found.shape << layout_.shape_place[g + 1];
          continue;
        }
        shape |= widths.widths.size() << layout_.shape_place[g + 1];
        for (std::size_t n = 0; n < group.columns.size(); ++n) {
          const std::uint64_t column = group.columns[n];
          const std::uint64_t bits = has_code ? group.codes.tuple(code)[n] : draft();
          push_wide(out, encoded(column, bits), layout_.columns[column].width);
        }
      }
      shapes.push(shape, static_cast<int>(layout_.shape_width));
    }
    layout_.records_size = out.written();
    // Where a damaged record begins, one of any width may be read.
    out.push_zeros(layout_.widest);
  });
  shapes.finish();
  shapes_file.close();
  blocks.close();
  layout_.blocks_width = width_of(layout_.records_size);
  write_bits(path("blocks"), [&](BitWriter& out) {
    for (auto reader = blocks.read(); !reader.is_done();)
      out.push(reader.next(), static_cast<int>(layout_.blocks_width));
  });
  blocks.discard();
}

}  // namespace rosewood
