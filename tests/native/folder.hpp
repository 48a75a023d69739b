// tests/native/folder.hpp: a folder for the files of a test.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

/// An empty folder that is deleted in the end.
struct Folder {
  std::filesystem::path path;

  Folder() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
    path = std::filesystem::temp_directory_path() / ("rosewood-native-" + std::to_string(time));
    std::filesystem::create_directory(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const char* name) const { return (path / name).string(); }
  bool is_empty() const { return std::filesystem::is_empty(path); }
};
