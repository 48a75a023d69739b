// core/lm/arpa_close.cpp: from the highest order down, which n-grams there have to be; then from
// the lowest up, the probabilities of those that were not.
#include "lm/arpa_close.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace rosewood {

std::uint64_t pack_weights(float probability, float backoff) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(probability)} << 32 |
         std::bit_cast<std::uint32_t>(backoff);
}

namespace {

using Key = std::vector<std::uint64_t>;

float probability_of(std::uint64_t weights) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(weights >> 32));
}
float backoff_of(std::uint64_t weights) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(weights));
}

/// As the table has it: -0 where no longer n-gram begins with this one.
float marked(float backoff, bool is_context) {
  if (backoff != 0) return backoff;
  return is_context ? 0.0F : -0.0F;
}

/// Sorted rows, one after the other.
class RowReader {
 public:
  RowReader(const NgramRows& rows, int key_size)
      : reader_(rows.read()), row_(static_cast<std::size_t>(key_size) + 1) {
    next();
  }
  bool is_done() const { return is_done_; }
  const std::uint64_t* key() const { return row_.data(); }
  std::uint64_t weights() const { return row_.back(); }
  void next() {
    is_done_ = reader_.is_done();
    if (!is_done_)
      for (auto& number : row_) number = reader_.next();
  }

 private:
  SpoolReader<std::uint64_t> reader_;
  Key row_;
  bool is_done_ = false;
};

/// The suffixes of n-grams, each once, and how many n-grams have it.
class SuffixReader {
 public:
  SuffixReader(const NgramKeys& keys, const NgramRows& rows, int n)
      : keys_(keys), n_(n), rows_(rows, keys.size(n)), key_(keys.size(n - 1)), ahead_(key_) {
    next();
  }
  bool is_done() const { return count_ == 0; }
  const std::uint64_t* key() const { return key_.data(); }
  std::uint32_t count() const { return count_; }
  void next() {
    count_ = 0;
    for (; !rows_.is_done(); rows_.next(), ++count_) {
      keys_.suffix(rows_.key(), n_, ahead_.data());
      if (count_ && ahead_ != key_) break;
      key_ = ahead_;
    }
  }

 private:
  const NgramKeys& keys_;
  int n_;
  RowReader rows_;
  Key key_, ahead_;
  std::uint32_t count_ = 0;
};

/// The prefixes of n-grams, each once.
class PrefixReader {
 public:
  PrefixReader(const NgramKeys& keys, const NgramRows& rows, int n, const SortRoom& room)
      : size_(keys.size(n - 1)), sorter_(size_, size_, room, "prefixes." + std::to_string(n)) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(n));
    for (RowReader each(rows, keys.size(n)); !each.is_done(); each.next()) {
      keys.unpack(each.key(), n, words.data());
      keys.pack(words.data(), n - 1, sorter_.add());
    }
    sorter_.finish();
    row_ = sorter_.next();
  }
  bool is_done() const { return row_ == nullptr; }
  const std::uint64_t* key() const { return row_; }
  void next() {
    const Key before(row_, row_ + size_);
    while (row_ && std::equal(before.begin(), before.end(), row_)) row_ = sorter_.next();
  }

 private:
  int size_;
  RowSorter sorter_;
  const std::uint64_t* row_ = nullptr;
};

class Closing {
 public:
  Closing(const NgramKeys& keys, std::span<const float> probability, std::span<const float> backoff,
          std::vector<NgramRows>& rows, const SortRoom& room)
      : keys_(keys), probability_(probability), backoff_(backoff), rows_(rows), room_(room) {
    room_.bytes /= 2;
    made_.table.orders.resize(rows.size() + 1);
    made_.added.assign(rows.size() + 1, 0);
  }

  ClosedTable close() {
    for (int n = top(); n > 2; --n) complete(n - 1);
    write_unigrams();
    for (int n = 2; n <= top(); ++n) write(n);
    return std::move(made_);
  }

 private:
  int top() const { return static_cast<int>(rows_.size()) + 1; }
  NgramRows& rows(int n) { return rows_[n - 2]; }
  NgramOrder& order(int n) { return made_.table.orders[n - 1]; }
  std::string file(const char* what, int n) const {
    return room_.folder.empty() ? "" : room_.folder + "/" + what + "." + std::to_string(n);
  }

  /// Prefixes and suffixes of the n-grams above become n-grams; contexts and children are found.
  void complete(int n) {
    const auto size = static_cast<std::size_t>(keys_.size(n));
    RowReader own(rows(n), keys_.size(n));
    SuffixReader suffixes(keys_, rows(n + 1), n + 1);
    PrefixReader prefixes(keys_, rows(n + 1), n + 1, room_);
    NgramRows whole(file("whole", n));
    Spool<std::uint32_t> children(file("children", n));
    const auto is_before = [&](const std::uint64_t* one, const std::uint64_t* other) {
      return std::lexicographical_compare(one, one + size, other, other + size);
    };
    Key key(size);
    for (;;) {
      const std::uint64_t* least = nullptr;
      const auto offer = [&](const auto& reader) {
        if (!reader.is_done() && (!least || is_before(reader.key(), least))) least = reader.key();
      };
      offer(own);
      offer(suffixes);
      offer(prefixes);
      if (!least) break;
      key.assign(least, least + size);
      const auto is_here = [&](const auto& reader) {
        return !reader.is_done() && std::equal(key.begin(), key.end(), reader.key());
      };
      const bool is_context = is_here(prefixes);
      float probability = NAN, backoff = 0;  // NaN: to be found
      if (is_here(own)) {
        probability = probability_of(own.weights());
        backoff = backoff_of(own.weights());
        own.next();
      } else {
        ++made_.added[n - 1];
      }
      const bool has_children = is_here(suffixes);
      children.push(has_children ? suffixes.count() : 0);
      if (has_children) suffixes.next();
      if (is_context) prefixes.next();
      whole.append(key);
      whole.push(pack_weights(probability, marked(backoff, is_context)));
    }
    whole.close();
    children.close();
    rows(n).discard();
    rows(n) = std::move(whole);
    order(n).children = std::move(children);
  }

  void write_unigrams() {
    const std::size_t words = probability_.size();
    std::vector<std::uint32_t> children(words), number(words);
    std::vector<bool> is_context(words);
    const auto word_of = [&](const auto& reader) { return keys_.first_word(reader.key(), 1); };
    if (top() > 1) {
      for (SuffixReader each(keys_, rows(2), 2); !each.is_done(); each.next())
        children[word_of(each)] = each.count();
      for (PrefixReader each(keys_, rows(2), 2, room_); !each.is_done(); each.next())
        is_context[word_of(each)] = true;
    }
    NgramOrder& made = order(1);
    for (std::size_t w = 0; w < words; ++w) number[w] = static_cast<std::uint32_t>(w);
    made.word.append(number);
    made.probability.append(probability_);
    if (top() == 1) return;
    made.children.append(children);
    for (std::size_t w = 0; w < words; ++w) made.backoff.push(marked(backoff_[w], is_context[w]));
  }

  /// The columns of an order; all of those below it are there.
  void write(int n) {
    NgramOrder& made = order(n);
    made.word = Spool<std::uint32_t>(file("word", n));
    made.probability = Spool<float>(file("probability", n));
    if (n < top()) made.backoff = Spool<float>(file("backoff", n));
    RowSorter backoffs(2, 1, room_, "backoffs." + std::to_string(n));
    if (made_.added[n - 1]) find_backoffs(n, backoffs);
    std::uint32_t siblings = 0;  // that have the same suffix and are still to come
    float below = 0;             // the probability of that suffix
    auto children = order(n - 1).children.read();
    auto suffixes = order(n - 1).probability.read();
    for (RowReader each(rows(n), keys_.size(n)); !each.is_done(); each.next(), --siblings) {
      for (; siblings == 0; siblings = children.next()) below = suffixes.next();
      float probability = probability_of(each.weights());
      if (std::isnan(probability))
        probability = std::min(0.0F, backoff_of(backoffs.next()[1]) + below);
      made.word.push(keys_.first_word(each.key(), n));
      made.probability.push(probability);
      if (n < top()) made.backoff.push(backoff_of(each.weights()));
    }
    made.word.close();
    made.probability.close();
    made.backoff.close();
    if (n > 2) rows(n - 1).discard();
    if (n == top()) rows(n).discard();
  }

  /// Rows of the back-offs of contexts, for n-grams that were added, by the order of these.
  void find_backoffs(int n, RowSorter& found) {
    const int size = keys_.size(n - 1);
    RowSorter wanted(size + 1, size, room_, "wanted." + std::to_string(n));
    std::vector<std::uint32_t> words(static_cast<std::size_t>(n));
    std::uint64_t place = 0;
    for (RowReader each(rows(n), keys_.size(n)); !each.is_done(); each.next()) {
      if (!std::isnan(probability_of(each.weights()))) continue;
      std::uint64_t* row = wanted.add();
      keys_.unpack(each.key(), n, words.data());
      keys_.pack(words.data(), n - 1, row);
      row[size] = place++;
    }
    wanted.finish();
    const NgramRows none;
    RowReader context(n > 2 ? rows(n - 1) : none, size);
    while (const std::uint64_t* row = wanted.next()) {
      while (n > 2 && !std::equal(row, row + size, context.key())) context.next();
      std::uint64_t* out = found.add();
      out[0] = row[size];
      out[1] = pack_weights(
          0, n > 2 ? backoff_of(context.weights()) : backoff_[keys_.first_word(row, 1)]);
    }
    found.finish();
  }

  const NgramKeys& keys_;
  std::span<const float> probability_, backoff_;
  std::vector<NgramRows>& rows_;
  SortRoom room_;
  ClosedTable made_;
};

}  // namespace

ClosedTable close_table(const NgramKeys& keys, std::span<const float> probability,
                        std::span<const float> backoff, std::vector<NgramRows>& rows,
                        const SortRoom& room) {
  return Closing(keys, probability, backoff, rows, room).close();
}

}  // namespace rosewood
