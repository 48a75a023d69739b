// core/lm/writer.hpp: the parts of a model's file, written one after the other. No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lm/fast.hpp"
#include "lm/model.hpp"
#include "lm/small.hpp"
#include "lm/table.hpp"
#include "lm/vocabulary.hpp"
#include "util/row_sort.hpp"
#include "util/sink.hpp"

namespace rosewood {

class ModelWriter {
 public:
  /// The shape has no counts: they are the table's. Table and words stay where they are.
  ModelWriter(const NgramTable& table, std::span<const std::uint8_t> word_bytes,
              std::span<const std::uint8_t> word_start, const ModelShape& shape, SortRoom room);

  /// The names of the parts, in the order in which they are to be written.
  std::vector<std::string> parts() const;
  /// Writes a part; false if two hashes are equal, and all must be done again with another seed.
  bool write(const std::string& part, Sink& sink);

 private:
  const NgramTable& table_;
  std::span<const std::uint8_t> word_bytes_, word_start_;
  ModelShape shape_;
  SortRoom room_;
  FastWriter fast_;
  SmallWriter small_;
};

}  // namespace rosewood
