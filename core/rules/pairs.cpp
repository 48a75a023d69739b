#include "rules/pairs.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "util/varint.hpp"

namespace rosewood {
namespace {

std::uint64_t number_of(std::int32_t value) { return static_cast<std::uint64_t>(value); }

void put_pair(Spool<std::uint8_t>& spool, const RulePair& pair, bool has_gaps,
              bool has_orientation) {
  push_varint(spool, std::uint64_t{pair.place.source} << 1 | std::uint64_t{pair.is_first});
  push_varint(spool, pair.place.target);
  const RuleShape& shape = pair.shape;
  push_varint(spool, number_of(shape.source[0]));
  push_varint(spool, number_of(shape.target[0]));
  if (has_gaps) {
    push_varint(spool, number_of(shape.gaps) << 1 | std::uint64_t{shape.is_crossed});
    for (int n = 0; n < shape.gaps; ++n)
      for (const std::int32_t value :
           {shape.source[n + 1], shape.target[n + 1], shape.source_gap[n], shape.target_gap[n]})
        push_varint(spool, number_of(value));
    push_varint(spool, pair.seen);
    const auto bits = std::bit_cast<std::uint64_t>(pair.count);
    for (int n = 0; n < 64; n += 8) spool.push(static_cast<std::uint8_t>(bits >> n));
  } else {
    push_varint(spool, pair.seen);
  }
  if (has_orientation)  // the last class has what the others leave
    for (std::size_t n = 0; n < 8; ++n)
      if (n % 4 < 3) push_varint(spool, pair.orientation[n]);
}

void add_to(RuleTotals& totals, const RulePair& pair) {
  ++totals.rules;
  totals.sources += pair.is_first;
  totals.count += pair.count;
  if (pair.seen <= 10) ++totals.of_count[pair.seen];
  for (std::size_t n = 0; n < 8; ++n) totals.orientation[n] += pair.orientation[n];
}

}  // namespace

PairWriter::PairWriter(InstanceCollector& instances, const std::string& pairs_path,
                       const std::string& targets_path)
    : instances_(instances),
      pairs_(pairs_path),
      targets_(targets_path),
      last_(static_cast<std::size_t>(instances.fields().all.words())) {}

std::int64_t PairWriter::step(std::int64_t most) {
  std::int64_t done = 0;
  for (; done < most; ++done) {
    const std::uint64_t* row = instances_.next();
    if (!row) break;
    const bool is_begun = !seen_.empty();
    if (!is_begun || !instances_.is_same_rule(last_.data(), row)) {
      const bool is_new_source = !is_begun || !instances_.is_same_source(last_.data(), row);
      end_rule();
      is_first_ = is_new_source;
      std::copy_n(row, last_.size(), last_.begin());
    }
    seen_.push_back(instances_.read(row));
  }
  if (done < most) {
    end_rule();
    totals_.bytes = pairs_.size();
    pairs_.close();
    targets_.close();
  }
  return done;
}

void PairWriter::end_rule() {
  if (seen_.empty()) return;
  RulePair pair;
  pair.is_first = is_first_;
  pair.seen = seen_.size();
  for (const auto& each : seen_) {
    pair.count += 1.0 / each.share;
    ++pair.orientation[static_cast<std::size_t>(each.backward)];
    ++pair.orientation[static_cast<std::size_t>(4 + each.forward)];
  }
  const auto& chosen = seen_[seen_.size() == 1 ? 0 : most_frequent()];
  pair.place = chosen.place;
  pair.shape = chosen.shape;
  seen_.clear();
  add_to(totals_, pair);
  const InstanceSettings& settings = instances_.settings();
  put_pair(pairs_, pair, settings.has_gaps, settings.has_orientation);
  const auto name = instances_.target_name(last_.data());
  targets_.push(name[0]);
  if (settings.has_gaps) targets_.push(name[1]);
  targets_.push(pair.seen);
  if (settings.has_gaps) targets_.push(std::bit_cast<std::uint64_t>(pair.count));
}

/// The first instance of those whose links are seen most often.
std::size_t PairWriter::most_frequent() {
  patterns_.clear();
  const std::int32_t sources = seen_[0].shape.source_symbols();
  const std::int32_t targets = seen_[0].shape.target_symbols();
  for (std::size_t n = 0; n < seen_.size(); ++n) {
    read_rule_links(instances_.corpus(), seen_[n].shape, seen_[n].place, links_);
    const std::uint64_t links = link_pattern(links_, sources, targets);
    auto at = std::find_if(patterns_.begin(), patterns_.end(),
                           [links](const Pattern& each) { return each.links == links; });
    if (at == patterns_.end()) at = patterns_.insert(at, {links, n, 0});
    at->count += 1.0 / seen_[n].share;
  }
  const Pattern* best = &patterns_[0];
  for (const Pattern& each : patterns_)
    if (each.count > best->count ||
        (each.count == best->count && is_taken_before(each.links, best->links, sources)))
      best = &each;
  return best->first;
}

void write_marginals(const std::string& targets_path, std::uint64_t rules, bool has_gaps,
                     const std::optional<Discounts>& discounts, const SortRoom& room,
                     const std::string& marginals_path) {
  const int size = has_gaps ? 2 : 1;
  const int numbers = has_gaps ? 2 : 1;  // how often it was seen, and its count if that is another
  RowSorter by_target(size + 1 + numbers, size, room, "targets");
  {
    const auto whole = Spool<std::uint64_t>::written(
        targets_path, rules * static_cast<std::uint64_t>(size + numbers));
    auto reader = whole.read();
    for (std::uint64_t rule = 0; rule < rules; ++rule) {
      std::uint64_t* row = by_target.add();
      for (int n = 0; n < size; ++n) row[n] = reader.next();
      row[size] = rule;
      for (int n = 1; n <= numbers; ++n) row[size + n] = reader.next();
    }
  }
  by_target.finish();
  const int columns = discounts ? 3 : 1;
  // The first sorter holds half of what it may until all is read.
  RowSorter by_rule(1 + columns, 1, {room.folder, room.bytes / 2, room.threads}, "marginals");
  std::vector<std::uint64_t> name(static_cast<std::size_t>(size)), same;
  TargetMarginal sum;
  const auto end = [&] {
    for (const std::uint64_t rule : same) {
      std::uint64_t* row = by_rule.add();
      row[0] = rule;
      row[1] = std::bit_cast<std::uint64_t>(sum.count);
      if (!discounts) continue;
      row[2] = std::bit_cast<std::uint64_t>(sum.sources);
      row[3] = std::bit_cast<std::uint64_t>(sum.discount);
    }
    same.clear();
    sum = {};
  };
  while (const std::uint64_t* row = by_target.next()) {
    if (!same.empty() && !std::equal(name.begin(), name.end(), row)) end();
    std::copy_n(row, size, name.begin());
    same.push_back(row[size]);
    const std::uint64_t seen = row[size + 1];
    const double count =
        has_gaps ? std::bit_cast<double>(row[size + 2]) : static_cast<double>(seen);
    sum.count += count;
    sum.sources += 1;
    if (discounts) sum.discount += discount_of(*discounts, count, seen);
  }
  end();
  by_rule.finish();
  Spool<double> marginals(marginals_path);
  while (const std::uint64_t* row = by_rule.next())
    for (int n = 1; n <= columns; ++n) marginals.push(std::bit_cast<double>(row[n]));
  marginals.close();
}

PairReader::PairReader(const std::string& pairs_path, const std::string& marginals_path,
                       const RuleTotals& totals, bool has_gaps, bool has_orientation,
                       bool has_discounts)
    : left_(totals.rules),
      has_gaps_(has_gaps),
      has_orientation_(has_orientation),
      has_discounts_(has_discounts),
      pairs_(Spool<std::uint8_t>::written(pairs_path, totals.bytes).read()),
      marginals_(
          Spool<double>::written(marginals_path, totals.rules * (has_discounts ? 3 : 1)).read()) {}

RulePair PairReader::next(TargetMarginal& target) {
  --left_;
  RulePair pair;
  const auto place = next_varint(pairs_);
  pair.is_first = place & 1;
  pair.place = {static_cast<std::uint32_t>(place >> 1),
                static_cast<std::uint32_t>(next_varint(pairs_))};
  RuleShape& shape = pair.shape;
  const auto length = [this] { return static_cast<std::int32_t>(next_varint(pairs_)); };
  shape.source[0] = length();
  shape.target[0] = length();
  if (has_gaps_) {
    const std::uint64_t gaps = next_varint(pairs_);
    shape.is_crossed = gaps & 1;
    shape.gaps = static_cast<std::int32_t>(gaps >> 1);
    for (int n = 0; n < shape.gaps; ++n) {
      shape.source[n + 1] = length();
      shape.target[n + 1] = length();
      shape.source_gap[n] = length();
      shape.target_gap[n] = length();
    }
    pair.seen = next_varint(pairs_);
    std::uint64_t bits = 0;
    for (int n = 0; n < 64; n += 8) bits |= std::uint64_t{pairs_.next()} << n;
    pair.count = std::bit_cast<double>(bits);
  } else {
    pair.seen = next_varint(pairs_);
    pair.count = static_cast<double>(pair.seen);
  }
  if (has_orientation_)
    for (std::size_t n = 0; n < 8; n += 4) {
      auto left = static_cast<std::uint32_t>(pair.count);
      for (std::size_t c = n; c < n + 3; ++c) {
        pair.orientation[c] = static_cast<std::uint32_t>(next_varint(pairs_));
        left -= pair.orientation[c];
      }
      pair.orientation[n + 3] = left;
    }
  target.count = marginals_.next();
  if (has_discounts_) {
    target.sources = marginals_.next();
    target.discount = marginals_.next();
  }
  return pair;
}

}  // namespace rosewood
