// core/lm/fast.cpp: opening, checking and writing the fast layout.
#include "lm/fast.hpp"

#include <string>

#include "util/parallel.hpp"

namespace rosewood {

FastLayout::FastLayout(const Sections& sections, std::span<const std::uint64_t> counts,
                       std::uint64_t seed)
    : order_(static_cast<int>(counts.size())),
      seed_(seed),
      counts_(counts.begin(), counts.end()),
      unigrams_(sections.exactly("1", 8 * counts[0])) {
  for (int n = 2; n < order_; ++n) middle_.emplace_back(sections[std::to_string(n)], counts[n - 1]);
  if (order_ > 1) highest_ = HashTable<4>(sections[std::to_string(order_)], counts[order_ - 1]);
}

void FastLayout::check() const {
  const auto check_numbers = [](float stored, float backoff) {
    if (!std::isfinite(stored) || !std::isfinite(backoff))
      fail<LanguageModelError>({"file.damaged", "probability"},
                               "a probability or back-off is no number");
  };
  for (std::uint64_t w = 0; w < counts_[0]; ++w)
    check_numbers(loaded<float>(unigrams_ + 8 * w), loaded<float>(unigrams_ + 8 * w + 4));
  for (int n = 2; n <= order_; ++n) {
    const std::uint64_t found =
        n == order_ ? highest_.check([&](std::uint64_t, const std::uint8_t* entry) {
          check_numbers(loaded<float>(entry), 0.0F);
        })
                    : middle_[n - 2].check([&](std::uint64_t, const std::uint8_t* entry) {
                        check_numbers(loaded<float>(entry), loaded<float>(entry + 4));
                      });
    if (found != counts_[n - 1])
      fail<LanguageModelError>({"file.damaged", "counts"}, "order ", n, " has ", found,
                               " n-grams, expected ", counts_[n - 1]);
  }
}

bool FastWriter::write(int n, Sink& sink) {
  // The sign tells whether a longer n-gram ends in this one.
  const auto stored = [](const Ngram& ngram) {
    return ngram.children ? -std::fabs(ngram.probability) : std::fabs(ngram.probability);
  };
  const bool is_held = table_.orders[n - 1].word.is_in_memory();
  const auto spool = [&](std::uint64_t size) {
    if (is_held) return Spool<std::uint64_t>::sized(size);
    return Spool<std::uint64_t>(room_.folder + "/hashes." + std::to_string(n));
  };
  if (n == 1) {
    hashes_ = spool(table_.size(1));
    PlacedSink<std::uint64_t> hashes(hashes_, 0);
    walk_order(
        table_, 1, [](std::uint64_t) {},
        [&](std::uint64_t, const Ngram& ngram) {
          sink.put(stored(ngram));
          sink.put(ngram.backoff);
          hashes.push(mixed(seed_, ngram.word));
        });
    hashes_.close();
    return true;
  }
  const bool is_highest = n == table_.order();
  Spool<std::uint64_t> longer = is_highest ? Spool<std::uint64_t>() : spool(table_.size(n));
  RowSorter sorter(2, 1, room_, "order" + std::to_string(n));
  check_columns(table_, n);
  // In memory, each thread has a part and writes to the places of its n-grams.
  std::uint64_t* rows =
      is_held && hashes_.is_in_memory() ? sorter.add_all(table_.size(n)) : nullptr;
  const auto parts = parts_of(table_, n, rows ? static_cast<std::size_t>(room_.threads) : 1);
  const auto count = static_cast<std::int64_t>(parts.size());
  parallel_for(count, static_cast<int>(count), 1, [&](std::int64_t from, std::int64_t to) {
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
      auto hashes = hashes_.read(parts[i].begin);
      PlacedSink<std::uint64_t> longer_hashes(longer, parts[i].first);
      std::uint64_t parent = 0;
      walk_part(
          table_, n, parts[i], [&](std::uint64_t) { parent = hashes.next(); },
          [&](std::uint64_t, std::uint64_t place, const Ngram& ngram) {
            std::uint64_t* row = rows ? rows + 2 * place : sorter.add();
            row[0] = slot_hash(mixed(parent, ngram.word));
            row[1] = std::bit_cast<std::uint32_t>(stored(ngram)) |
                     std::uint64_t{std::bit_cast<std::uint32_t>(ngram.backoff)} << 32;
            if (!is_highest) longer_hashes.push(row[0]);
          });
    }
  });
  longer.close();
  hashes_.discard();
  hashes_ = std::move(longer);
  sorter.finish();
  const auto next = [&] { return sorter.next(); };
  return is_highest ? HashTable<4>::write(table_.size(n), next, sink)
                    : HashTable<8>::write(table_.size(n), next, sink);
}

}  // namespace rosewood
