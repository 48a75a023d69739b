// core/lm/hash_table.hpp: a table of hashes, each with a few bytes, read where it is mapped. No
// Python here.
//
// A bucket is a line of the cache: some hashes, then what belongs to each. Entries are sorted by
// hash, with empty ones (hash 0) at the ends of buckets. The home of a hash is the bucket that its
// upper bits say; an entry stands there, or in the next bucket that has room. So the table is
// written from front to back out of sorted rows, and a search goes on to the next bucket only if
// all of this one is smaller. The last bucket is empty: no search runs beyond the end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lm/hash.hpp"
#include "util/error.hpp"
#include "util/prefetch.hpp"
#include "util/sink.hpp"

namespace rosewood {

template <std::size_t Payload>
class HashTable {
 public:
  static constexpr std::size_t bucket_bytes = 64;
  static constexpr std::size_t per_bucket = bucket_bytes / (8 + Payload);

  HashTable() = default;
  /// A table of `count` entries; refuses bytes that cannot be one.
  HashTable(std::span<const std::uint8_t> bytes, std::uint64_t count)
      : first_(bytes.data()), homes_(homes_for(count)), buckets_(bytes.size() / bucket_bytes) {
    if (bytes.size() % bucket_bytes || count / per_bucket >= buckets_ || homes_ >= buckets_ ||
        loaded<std::uint64_t>(hashes_of(bucket(buckets_ - 1), per_bucket - 1)))
      fail<LanguageModelError>({"file.damaged", "hashes"}, "a hash table of ", count,
                               " entries has ", bytes.size(), " bytes");
  }

  /// The bucket where a search begins.
  const std::uint8_t* home(std::uint64_t hash) const { return bucket(high_product(hash, homes_)); }

  /// The next bucket, if all of this one is smaller than the hash. Nearly all that are not at home
  /// are one further: whoever has many searches under way asks for that bucket in time.
  static const std::uint8_t* further(std::uint64_t hash, const std::uint8_t* at) {
    const auto last = loaded<std::uint64_t>(hashes_of(at, per_bucket - 1));
    return at + bucket_bytes * (last - 1 < hash - 1);  // empty is 0: less one, larger than all
  }

  /// What belongs to a hash, or null.
  static const std::uint8_t* find(std::uint64_t hash, const std::uint8_t* at) {
    for (;; at += bucket_bytes) {
      unsigned hits = 0;
      for (std::size_t i = 0; i < per_bucket; ++i)
        hits |= static_cast<unsigned>(loaded<std::uint64_t>(hashes_of(at, i)) == hash) << i;
      if (hits) return payload_of(at, static_cast<std::size_t>(std::countr_zero(hits)));
      if (further(hash, at) == at) return nullptr;
    }
  }

  /// Calls body(hash, payload) for every entry and returns how many there are, if each stands where
  /// a search finds it; otherwise throws.
  template <class Body>
  std::uint64_t check(Body&& body) const {
    std::uint64_t count = 0, last = 0, next_free = 0;
    for (std::uint64_t slot = 0; slot < buckets_ * per_bucket; ++slot) {
      const std::uint8_t* at = bucket(slot / per_bucket);
      const auto hash = loaded<std::uint64_t>(hashes_of(at, slot % per_bucket));
      if (!hash) continue;
      if (hash <= last || slot != std::max(high_product(hash, homes_) * per_bucket, next_free))
        fail<LanguageModelError>({"file.damaged", "hashes"},
                                 "an entry of a hash table is not where it belongs");
      last = hash;
      next_free = slot + 1;
      ++count;
      body(hash, payload_of(at, slot % per_bucket));
    }
    return count;
  }

  /// Writes the table of `count` rows (hash, payload), which `next` gives in the order of hashes.
  /// Whether no two hashes are equal; if not, what was written is worthless.
  template <class Next>
  static bool write(std::uint64_t count, Next&& next, Sink& sink) {
    const std::uint64_t homes = homes_for(count);
    std::uint8_t bucket[bucket_bytes] = {};
    std::size_t used = 0;
    std::uint64_t at = 0, last = 0;  // the bucket that is being filled
    const auto close = [&] {
      sink.bytes(bucket, bucket_bytes);
      std::fill_n(bucket, bucket_bytes, std::uint8_t{0});
      used = 0;
      ++at;
    };
    while (const std::uint64_t* row = next()) {
      if (row[0] == last) return false;
      last = row[0];
      const std::uint64_t home = high_product(last, homes);
      while (at < home || used == per_bucket) close();
      std::memcpy(bucket + 8 * used, &row[0], 8);
      std::memcpy(bucket + 8 * per_bucket + Payload * used, &row[1], Payload);
      ++used;
    }
    for (const std::uint64_t end = std::max(at + 1, homes) + 1; at < end;) close();
    return true;
  }

 private:
  /// Two entries of three are in use.
  static std::uint64_t homes_for(std::uint64_t count) {
    return (count + count / 2) / per_bucket + 1;
  }
  static const std::uint8_t* hashes_of(const std::uint8_t* bucket, std::size_t i) {
    return bucket + 8 * i;
  }
  static const std::uint8_t* payload_of(const std::uint8_t* bucket, std::size_t i) {
    return bucket + 8 * per_bucket + Payload * i;
  }
  const std::uint8_t* bucket(std::uint64_t at) const { return first_ + at * bucket_bytes; }

  const std::uint8_t* first_ = nullptr;
  std::uint64_t homes_ = 0, buckets_ = 0;
};

}  // namespace rosewood
