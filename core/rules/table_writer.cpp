// core/rules/table_writer.cpp: rules on their way into a table; table_finish.cpp writes the files.
#include "rules/table_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "util/varint.hpp"

namespace rosewood {

namespace {

constexpr std::size_t most_symbols = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t most_source_symbols = 1000;  // there are files for each level of the trie
constexpr std::uint64_t most_places = std::uint64_t{1} << 47;
constexpr std::uint32_t no_code = std::numeric_limits<std::uint32_t>::max();
const char* const count_names[num_counts] = {"count", "source_count", "target_count"};

std::uint64_t gaps_of(std::span<const std::int32_t> symbols) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(symbols, [](std::int32_t symbol) { return symbol < 0; }));
}

/// The number of a column, counts first.
std::uint64_t column_of(const std::string& name, const std::vector<std::string>& features) {
  const auto count = std::ranges::find(count_names, name);
  if (count != std::end(count_names)) return static_cast<std::uint64_t>(count - count_names);
  const auto feature = std::ranges::find(features, name);
  if (feature == features.end())
    fail<RuleError>({"argument.unknown", "groups"}, "a group has ", name, ", which is no column");
  return num_counts + static_cast<std::uint64_t>(feature - features.begin());
}

}  // namespace

template <class... Parts>
void RuleTableWriter::refuse(Code code, const char* argument, const Parts&... parts) const {
  fail<RuleError>({code, argument, size_ + 1}, "rule ", size_ + 1, ": ", parts...);
}

RuleTableWriter::RuleTableWriter(std::string folder, TableShape shape)
    : folder_(std::move(folder)),
      shape_(std::move(shape)),
      open_children_{0},
      last_file_(path("last")),
      last_(last_file_.sink()),
      drafts_(path("drafts.part")),
      ids_(path("ids.part")),
      pool_(path("pool.part")),
      links_(path("links.part")),
      link_counts_(path("link_counts.part")) {
  if (shape_.labels.empty())
    fail<RuleError>({"argument.missing", "labels"}, "a table has no labels, expected at least one");
  for (const std::string& label : shape_.labels)
    if (label.empty() || label.find_first_of(" \t\n\r") != label.npos ||
        label.find("|||") != label.npos)
      fail<RuleError>({"argument.value", "labels"}, "'", label,
                      "' is no label: it is empty, or has spaces or |||");
  if (shape_.features.size() > most_features)
    fail<RuleError>({"argument.range", "features"}, "there are ", shape_.features.size(),
                    " features, expected at most ", most_features);
  std::set<std::string> names(shape_.features.begin(), shape_.features.end());
  if (names.size() != shape_.features.size())
    fail<RuleError>({"argument.duplicate", "features"}, "a feature is named twice");
  if (std::set<std::string>(shape_.labels.begin(), shape_.labels.end()).size() !=
      shape_.labels.size())
    fail<RuleError>({"argument.duplicate", "labels"}, "a label is named twice");
  const std::size_t columns = num_counts + shape_.features.size();
  std::vector<int> seen(columns);
  const auto add_group = [&](std::vector<std::uint64_t> group) {
    for (const std::uint64_t column : group)
      if (seen[column]++)
        fail<RuleError>({"argument.duplicate", "groups"}, "a column is in two groups");
    if (!group.empty()) groups_.push_back({group, TupleCodes(group.size()), {}, {}});
  };
  for (const auto& group : shape_.groups) {
    std::vector<std::uint64_t> numbers;
    for (const std::string& name : group) numbers.push_back(column_of(name, shape_.features));
    add_group(numbers);
  }
  for (std::size_t column = 0; column < columns; ++column) {
    ranges_.emplace_back(column < num_counts);
    if (!seen[column]) add_group({column});
  }
  values_.resize(columns);
}

void RuleTableWriter::set_text(std::span<const std::int32_t> ids,
                               std::span<const std::int64_t> start) {
  if (size_ || has_text_)
    fail<RuleError>("rules.call-order", "a table has one text, which comes before its rules");
  if (start.empty() || start[0] != 0 || start.back() != static_cast<std::int64_t>(ids.size()) ||
      !std::ranges::is_sorted(start))
    fail<RuleError>({"argument.shape", "start"}, "the sentences of the text do not go from 0 to ",
                    ids.size());
  text_ = ids;
  layout_.text_size = ids.size();
  layout_.sentences = start.size() - 1;
  for (const std::int32_t word : ids) {
    if (word < 0) fail<RuleError>({"argument.range", "text"}, "the text has the word ", word);
    max_target_word_ = std::max<std::int64_t>(max_target_word_, word);
  }
  has_text_ = true;
  write_text(ids, start);
}

void RuleTableWriter::write_text(std::span<const std::int32_t> ids,
                                 std::span<const std::int64_t> start) {
  layout_.text_width = max_target_word_ < 1 ? 1 : width_of(max_target_word_);
  layout_.start_width = std::max<std::uint64_t>(1, width_of(ids.size()));
  FileSink words(path("text")), starts(path("text.start"));
  BitWriter word_bits(words.sink()), start_bits(starts.sink());
  for (const std::int32_t word : ids)
    word_bits.push(static_cast<std::uint64_t>(word), static_cast<int>(layout_.text_width));
  for (const std::int64_t place : start)
    start_bits.push(static_cast<std::uint64_t>(place), static_cast<int>(layout_.start_width));
  word_bits.finish();
  start_bits.finish();
  words.close();
  starts.close();
}

void RuleTableWriter::add(const RuleView& rule, std::uint64_t id, bool has_id) {
  if (is_finished_) fail<RuleError>("rules.call-order", "the table is finished");
  check(rule);
  if (size_ && has_ids_ != has_id)
    refuse("argument.missing", "id", "some rules have ids, and some have not");
  if (has_id && (id >= most_places || (last_id_ && id <= *last_id_)))
    refuse("rules.order", "id", "ids do not ascend");
  const bool is_same = size_ && std::ranges::equal(rule.source, source_);
  const auto labels = static_cast<std::int32_t>(shape_.labels.size());
  if (size_ && !is_same && !is_source_before(source_, rule.source, labels))
    refuse("rules.order", "source", "its source is not in order");
  has_ids_ = has_id;
  last_id_ = id;
  if (has_id) ids_.push(id);
  if (size_) last_.push(is_same ? 0 : 1, 1);
  if (!is_same) enter_source(rule.source);
  add_target(rule);
  add_columns(rule);
  ++size_;
}

void RuleTableWriter::check(const RuleView& rule) {
  const auto labels = static_cast<std::int64_t>(shape_.labels.size());
  if (rule.source.empty()) refuse("argument.missing", "source", "its source is empty");
  if (rule.source.size() > most_source_symbols)
    refuse("argument.range", "source", "its source has more than ", most_source_symbols,
           " symbols");
  if (rule.target.size() > most_symbols)
    refuse("argument.range", "target", "its target has more than ", most_symbols, " symbols");
  if (rule.left < 0 || rule.left >= labels)
    refuse("rules.label", "label", "there is no label ", rule.left);
  for (const std::int32_t symbol : rule.source)
    if (-std::int64_t{symbol} > labels)
      refuse("rules.label", "label", "there is no label ", -1 - std::int64_t{symbol});
  check_target(rule, gaps_of(rule.source));
  for (std::size_t n = 0; n < rule.links.size(); ++n) {
    const RuleLink link = rule.links[n];
    if (link.source >= rule.source.size() || link.target >= rule.target.size())
      refuse("argument.range", "links", "a link ", link.source, "-", link.target,
             " leads outside of it");
    if (rule.source[link.source] < 0 || rule.target[link.target] < 0)
      refuse("rules.links", "links", "a link ", link.source, "-", link.target, " leads to a gap");
    if (n && rule.links[n - 1] >= link) refuse("rules.order", "links", "its links do not ascend");
  }
  const auto check_count = [&](const char* name, double count) {
    if (!(count >= 0) || !std::isfinite(count)) refuse("argument.range", name, name, " is ", count);
  };
  check_count("count", rule.count);
  check_count("source_count", rule.source_count);
  check_count("target_count", rule.target_count);
  if (rule.features.size() != shape_.features.size())
    refuse("argument.shape", "features", "it has ", rule.features.size(), " features, expected ",
           shape_.features.size());
  for (std::size_t f = 0; f < rule.features.size(); ++f)
    if (!std::isfinite(rule.features[f]))
      refuse("argument.range", "features", shape_.features[f], " is ", rule.features[f],
             ", expected a finite number");
  if (rule.sentence < -1 || rule.sentence >= std::int64_t{no_code})
    refuse("argument.range", "sentence", "it is of sentence ", rule.sentence);
}

void RuleTableWriter::check_target(const RuleView& rule, std::uint64_t gaps) {
  seen_gaps_.assign(static_cast<std::size_t>(gaps), 0);
  for (const std::int32_t symbol : rule.target) {
    if (symbol >= 0) continue;
    const auto gap = static_cast<std::uint64_t>(-1 - std::int64_t{symbol});
    if (gap >= gaps || seen_gaps_[static_cast<std::size_t>(gap)]++)
      refuse("rules.gaps", "target", "gap ", gap + 1,
             " of its target is not one of the source, each once");
  }
  if (std::ranges::count(seen_gaps_, 0))
    refuse("rules.gaps", "source", "a gap of its source is not in its target");
  if (rule.target_place < 0) return;
  const auto place = static_cast<std::uint64_t>(rule.target_place);
  if (place > text_.size() || rule.target.size() > text_.size() - place ||
      !std::ranges::equal(rule.target, text_.subspan(place, rule.target.size())))
    refuse("argument.value", "target_place", "its target does not stand at place ",
           rule.target_place, " of the text");
}

void RuleTableWriter::enter_source(std::span<const std::int32_t> source) {
  const auto labels = static_cast<std::int32_t>(shape_.labels.size());
  const auto common =
      static_cast<std::size_t>(std::ranges::mismatch(source, source_).in1 - source.begin());
  close_levels(common);
  for (std::size_t level = common; level < source.size(); ++level) {
    if (level == levels_.size()) {
      const std::string name = path("level" + std::to_string(level));
      levels_.push_back({Spool<Opened>(name + ".part"), Spool<std::uint32_t>(name + "c.part")});
    }
    const auto rank = static_cast<std::uint32_t>(source_rank(source[level], labels));
    max_rank_ = std::max<std::uint64_t>(max_rank_, rank);
    max_source_word_ = std::max<std::int64_t>(max_source_word_, source[level]);
    levels_[level].opened.push({size_, rank, level + 1 == source.size() ? 1U : 0U});
    ++open_children_.back();
    open_children_.push_back(0);
    ++layout_.nodes;
  }
  source_.assign(source.begin(), source.end());
}

/// Nodes of the last source that are deeper than `keep` have all their children.
void RuleTableWriter::close_levels(std::size_t keep) {
  while (open_children_.size() > keep + 1) {
    levels_[open_children_.size() - 2].children.push(open_children_.back());
    open_children_.pop_back();
  }
}

void RuleTableWriter::add_target(const RuleView& rule) {
  const bool is_in_text = rule.target_place >= 0;
  std::uint64_t place = static_cast<std::uint64_t>(rule.target_place);
  if (!is_in_text) {
    StringHash key;
    for (const std::int32_t symbol : rule.target) {
      key.append(symbol);
      max_target_word_ = std::max<std::int64_t>(max_target_word_, symbol);
    }
    layout_.max_gaps = std::max(layout_.max_gaps, gaps_of(rule.target));
    const auto known = pool_places_.find(key);
    place = known ? *known : pool_.size();
    if (!known) {
      pool_.append(rule.target);
      pool_places_.put(key, place);
    }
  }
  if (place >= most_places) refuse("rules.too-large", "target", "the table is too large");
  (is_in_text ? uses_text_ : uses_pool_) = true;
  max_place_ = std::max(max_place_, place);
  max_length_ = std::max<std::uint64_t>(max_length_, rule.target.size());
  max_left_ = std::max<std::uint64_t>(max_left_, static_cast<std::uint64_t>(rule.left));
  push_varint(drafts_, place << 1 | (is_in_text ? 0 : 1));
  push_varint(drafts_, rule.target.size());
  push_varint(drafts_, pattern_of(rule.links));
  if (shape_.labels.size() > 1) push_varint(drafts_, static_cast<std::uint64_t>(rule.left));
  if (is_in_text) return;
  const auto sentence = static_cast<std::uint32_t>(rule.sentence + 1);
  max_sentence_ = std::max<std::uint64_t>(max_sentence_, sentence);
  push_varint(drafts_, sentence);
}

std::uint32_t RuleTableWriter::pattern_of(std::span<const RuleLink> links) {
  StringHash key;
  for (const RuleLink link : links) key.append(link.source << 16 | link.target);
  if (const auto known = patterns_.find(key)) {
    std::uint32_t& times = pattern_times_[*known];
    times += times < no_code ? 1 : 0;
    return static_cast<std::uint32_t>(*known);
  }
  const std::uint64_t pattern = link_counts_.size();
  if (pattern == no_code) refuse("rules.too-many", "links", "there are too many patterns of links");
  for (const RuleLink link : links) {
    links_.push(std::uint32_t{link.source} << 16 | link.target);
    max_link_source_ = std::max<std::uint32_t>(max_link_source_, link.source);
    max_link_target_ = std::max<std::uint32_t>(max_link_target_, link.target);
  }
  link_counts_.push(static_cast<std::uint32_t>(links.size()));
  patterns_.put(key, pattern);
  pattern_times_.push_back(1);
  return static_cast<std::uint32_t>(pattern);
}

void RuleTableWriter::add_columns(const RuleView& rule) {
  values_[0] = std::bit_cast<std::uint64_t>(rule.count + 0.0);  // -0.0 becomes 0.0
  values_[1] = std::bit_cast<std::uint64_t>(rule.source_count + 0.0);
  values_[2] = std::bit_cast<std::uint64_t>(rule.target_count + 0.0);
  for (std::size_t f = 0; f < rule.features.size(); ++f)
    values_[num_counts + f] = std::bit_cast<std::uint32_t>(rule.features[f] + 0.0F);
  for (Group& group : groups_) {
    tuple_.clear();
    for (const std::uint64_t column : group.columns) tuple_.push_back(values_[column]);
    bool is_new = false;
    const auto code = group.codes.code(tuple_, is_new);
    if (is_new)
      for (const std::uint64_t column : group.columns) ranges_[column].see(values_[column]);
    push_varint(drafts_, code ? *code + std::uint64_t{1} : 0);
    if (code) continue;
    for (const std::uint64_t column : group.columns) push_varint(drafts_, values_[column]);
  }
}

}  // namespace rosewood
