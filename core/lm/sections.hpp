// core/lm/sections.hpp: the parts of a mapped file by name. No Python here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "util/error.hpp"

namespace rosewood {

/// Where the parts of a file are, as its header says: first byte and number of bytes.
using Places = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

class Sections {
 public:
  /// Refuses places outside of the file.
  Sections(std::span<const std::uint8_t> file, const Places& places) {
    for (const auto& [name, place] : places) {
      if (place.first > file.size() || place.second > file.size() - place.first)
        fail<LanguageModelError>({"file.damaged", "place"}, "its part ", name,
                                 " lies outside of the file");
      parts_.emplace(name, file.subspan(place.first, place.second));
    }
  }

  std::span<const std::uint8_t> operator[](const std::string& name) const {
    const auto found = parts_.find(name);
    if (found == parts_.end())
      fail<LanguageModelError>({"file.damaged", "parts"}, "its part ", name, " is missing");
    return found->second;
  }
  /// Refuses a part of another size.
  const std::uint8_t* exactly(const std::string& name, std::uint64_t bytes) const {
    const auto part = (*this)[name];
    if (part.size() != bytes)
      fail<LanguageModelError>({"file.damaged", "bytes"}, "its part ", name, " has ", part.size(),
                               " bytes, expected ", bytes);
    return part.data();
  }

 private:
  std::map<std::string, std::span<const std::uint8_t>> parts_;
};

}  // namespace rosewood
