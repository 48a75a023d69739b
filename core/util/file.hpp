// core/util/file.hpp: a file that is read or written from front to back; what fails is thrown with
// the file's name. No Python here.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace rosewood {

/// Reading or writing a file failed: bind/ makes an OSError of it.
struct FileError {
  int code;  // errno
  std::string path;
};

class File {
 public:
  File() = default;
  /// mode as for fopen, such as "rb" or "wb".
  File(std::string path, const char* mode) : path_(std::move(path)) {
    file_ = std::fopen(path_.c_str(), mode);
    if (!file_) broken();
    std::setvbuf(file_, nullptr, _IONBF, 0);  // who uses it has a buffer of its own
  }
  File(File&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, nullptr)) {}
  File& operator=(File&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(file_, other.file_);
    return *this;
  }
  ~File() {
    if (file_) std::fclose(file_);
  }

  const std::string& path() const { return path_; }

  void write(const void* data, std::size_t bytes) {
    if (bytes && std::fwrite(data, 1, bytes, file_) != bytes) broken();
  }
  /// As many bytes as there are, up to this many.
  std::size_t read(void* data, std::size_t bytes) {
    const std::size_t got = bytes ? std::fread(data, 1, bytes, file_) : 0;
    if (got < bytes && std::ferror(file_)) broken();
    return got;
  }
  void seek(std::uint64_t place) {
#ifdef _WIN32
    if (_fseeki64(file_, static_cast<long long>(place), SEEK_SET)) broken();
#else
    if (fseeko(file_, static_cast<off_t>(place), SEEK_SET)) broken();
#endif
  }
  /// Closing can fail, too: that is when a full disk is told on some systems.
  void close() {
    if (file_ && std::fclose(std::exchange(file_, nullptr))) broken();
  }

 private:
  [[noreturn]] void broken() const { throw FileError{errno ? errno : EIO, path_}; }

  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace rosewood
