// core/util/spool.hpp: numbers that are written once from front to back, and then read so, in
// memory or in a file. No Python here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "util/big_vector.hpp"
#include "util/file.hpp"

namespace rosewood {

template <class T>
class SpoolReader;

template <class T>
class Spool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// In memory.
  Spool() = default;
  /// In a file, which is made anew; without a path, in memory.
  explicit Spool(std::string path) : path_(std::move(path)), is_open_(!path_.empty()) {
    if (is_open_) File(path_, "wb").close();
  }
  /// A file that was written and closed: `size` numbers of it.
  static Spool written(std::string path, std::uint64_t size) {
    Spool spool;
    spool.path_ = std::move(path);
    spool.size_ = size;
    return spool;
  }

  /// In memory, `size` numbers that are yet to be written, through held().
  static Spool sized(std::uint64_t size) {
    Spool spool;
    spool.held_.resize(static_cast<std::size_t>(size));
    spool.size_ = size;
    return spool;
  }

  /// Makes room for as many numbers, in memory.
  void reserve(std::uint64_t size) {
    if (is_in_memory()) held_.reserve(static_cast<std::size_t>(size));
  }
  void push(const T& value) {
    held_.push_back(value);
    ++size_;
    if (held_.size() >= block && !path_.empty()) flush();
  }
  void append(std::span<const T> values) {
    size_ += values.size();
    if (values.size() >= block && !path_.empty()) {
      flush();
      write(values);
      return;
    }
    held_.insert(held_.end(), values.begin(), values.end());
    if (held_.size() >= block && !path_.empty()) flush();
  }
  /// Nothing more will be written; before this, nothing may be read.
  void close() {
    if (!is_open_) return;
    flush();
    is_open_ = false;
    release(held_);
  }
  /// Gives back memory, or deletes the file.
  void discard() {
    if (!path_.empty()) std::remove(path_.c_str());
    *this = Spool();
  }

  std::uint64_t size() const { return size_; }
  bool is_in_memory() const { return path_.empty(); }
  const std::string& path() const { return path_; }
  /// All of it, if it is in memory.
  std::span<const T> held() const { return held_; }
  std::span<T> held() { return held_; }

  SpoolReader<T> read(std::uint64_t from = 0) const;
  /// All of it, wherever it is.
  std::vector<T> copied() const;

 private:
  static constexpr std::size_t block = (std::size_t{1} << 18) / sizeof(T) + 1;

  void flush() {
    write(held_);
    held_.clear();
  }
  /// The file is open only for as long as that takes: there may be very many spools.
  void write(std::span<const T> values) {
    if (values.empty()) return;
    File file(path_, "ab");
    file.write(values.data(), values.size_bytes());
    file.close();
  }

  std::string path_;
  bool is_open_ = false;
  BigVector<T> held_;
  std::uint64_t size_ = 0;
};

/// Reads a spool from front to back. The spool stays where it is and is not written to meanwhile.
template <class T>
class SpoolReader {
 public:
  SpoolReader(std::span<const T> held, std::uint64_t from)
      : at_(held.data() + from), end_(held.data() + held.size()) {}
  SpoolReader(const std::string& path, std::uint64_t size, std::uint64_t from)
      : file_(path, "rb"), left_(size - from) {
    if (from) file_.seek(from * sizeof(T));
    fill();
  }

  bool is_done() const { return at_ == end_; }
  /// The next number; there must be one.
  T next() {
    const T value = *at_;
    if (++at_ == end_ && left_) fill();
    return value;
  }
  /// What next() will give.
  const T& peek() const { return *at_; }

 private:
  static constexpr std::size_t block = (std::size_t{1} << 16) / sizeof(T) + 1;

  void fill() {
    if (!buffer_) buffer_ = std::make_unique_for_overwrite<T[]>(block);
    const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(block, left_));
    if (file_.read(buffer_.get(), want * sizeof(T)) != want * sizeof(T))
      throw FileError{EIO, file_.path()};
    left_ -= want;
    at_ = buffer_.get();
    end_ = at_ + want;
  }

  File file_;
  std::uint64_t left_ = 0;
  std::unique_ptr<T[]> buffer_;
  const T* at_ = nullptr;
  const T* end_ = nullptr;
};

template <class T>
SpoolReader<T> Spool<T>::read(std::uint64_t from) const {
  if (is_in_memory()) return SpoolReader<T>(held(), from);
  return SpoolReader<T>(path_, size_, from);
}

template <class T>
std::vector<T> Spool<T>::copied() const {
  std::vector<T> all;
  all.reserve(static_cast<std::size_t>(size_));
  for (auto reader = read(); !reader.is_done();) all.push_back(reader.next());
  return all;
}

/// Writes a piece of a spool: to its place in memory, or to the end of the file.
template <class T>
class PlacedSink {
 public:
  PlacedSink(Spool<T>& spool, std::uint64_t from)
      : spool_(&spool), at_(spool.is_in_memory() ? spool.held().data() + from : nullptr) {}
  void push(T value) {
    if (at_)
      *at_++ = value;
    else
      spool_->push(value);
  }

 private:
  Spool<T>* spool_;
  T* at_;
};

}  // namespace rosewood
