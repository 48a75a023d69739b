// core/rules/table_writer.hpp: writes the files of a rule table as rules come, in bounded memory.
// No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/rule.hpp"
#include "rules/table_layout.hpp"
#include "rules/table_pools.hpp"
#include "util/file.hpp"
#include "util/sink.hpp"
#include "util/spool.hpp"

namespace rosewood {

/// A file that is written in small pieces.
class FileSink {
 public:
  explicit FileSink(std::string path)
      : file_(std::move(path), "wb"), sink_([this](std::span<const std::uint8_t> piece) {
          file_.write(piece.data(), piece.size());
        }) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  Sink& sink() { return sink_; }
  void close() {
    sink_.flush();
    file_.close();
  }

 private:
  File file_;
  Sink sink_;
};

/// Takes rules in the order of their sources, and those of a source as they are to be listed, the
/// best one first. What does not fit in memory is in files of the folder, which are gone at the
/// end. A rule that cannot be is a RuleError.
class RuleTableWriter {
 public:
  /// The folder is there already.
  RuleTableWriter(std::string folder, TableShape shape);

  /// The target side of the training text, words and where sentences begin, in which rules may
  /// have their place; before the first rule. It stays where it is until finish().
  void set_text(std::span<const std::int32_t> ids, std::span<const std::int64_t> start);
  /// A rule's number is how many came before it; so is its id, or another, if all rules have one.
  void add(const RuleView& rule) { add(rule, size_, false); }
  void add_with_id(const RuleView& rule, std::uint64_t id) { add(rule, id, true); }
  /// How many ids there are; otherwise as many as the last one says.
  void set_num_ids(std::uint64_t num_ids) { num_ids_ = num_ids; }
  /// Writes the files, with the words of both sides: bytes, and where each begins.
  void finish(std::span<const std::uint8_t> source_bytes,
              std::span<const std::int64_t> source_start,
              std::span<const std::uint8_t> target_bytes,
              std::span<const std::int64_t> target_start);

  std::uint64_t size() const { return size_; }
  const TableShape& shape() const { return shape_; }

 private:
  struct Opened {  // a node
    std::uint64_t first;
    std::uint32_t rank, has_rules;
  };
  struct Level {
    Spool<Opened> opened;
    Spool<std::uint32_t> children;  // of those that are closed
  };
  struct Group {
    std::vector<std::uint64_t> columns;
    TupleCodes codes;
    std::vector<std::uint32_t> order, rank;  // codes by how often they are used; and back
  };

  void write_text(std::span<const std::int32_t> ids, std::span<const std::int64_t> start);
  void add(const RuleView& rule, std::uint64_t id, bool has_id);
  void check(const RuleView& rule);
  void check_target(const RuleView& rule, std::uint64_t gaps);
  void enter_source(std::span<const std::int32_t> source);
  void close_levels(std::size_t keep);
  void add_target(const RuleView& rule);
  std::uint32_t pattern_of(std::span<const RuleLink> links);
  void add_columns(const RuleView& rule);
  template <class... Parts>
  [[noreturn]] void refuse(Code code, const char* argument, const Parts&... parts) const;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write_words(const std::string& side, std::span<const std::uint8_t> bytes,
                   std::span<const std::int64_t> start) const;
  void write_nodes();
  void write_records();
  void write_links();
  void write_pools();
  void write_codes();
  void choose_codes();
  std::uint64_t encoded(std::uint64_t column, std::uint64_t bits) const;
  template <class Body>
  void for_each_node(Body&& body) const;

  std::string folder_;
  TableShape shape_;
  TableLayout layout_;
  std::span<const std::int32_t> text_;
  bool has_text_ = false, is_finished_ = false;

  std::uint64_t size_ = 0;
  std::optional<std::uint64_t> num_ids_, last_id_;
  bool has_ids_ = false;
  std::vector<std::int32_t> source_;  // of the last rule
  std::vector<Level> levels_;
  std::vector<std::uint32_t> open_children_;  // of the root, and of the nodes of the last source
  std::uint64_t max_rank_ = 0;
  std::int64_t max_source_word_ = -1, max_target_word_ = -1;
  std::uint64_t max_place_ = 0, max_length_ = 0, max_left_ = 0, max_sentence_ = 0;
  std::uint32_t max_link_source_ = 0, max_link_target_ = 0;
  bool uses_text_ = false, uses_pool_ = false;

  FileSink last_file_;
  BitWriter last_;
  Spool<std::uint8_t> drafts_;  // small numbers, see util/varint.hpp
  Spool<std::uint64_t> ids_;
  Spool<std::int32_t> pool_;
  Spool<std::uint32_t> links_, link_counts_;
  StringPlaces pool_places_, patterns_;
  std::vector<std::uint32_t> pattern_times_;
  std::vector<ColumnRange> ranges_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> values_, tuple_;
  std::vector<std::uint8_t> seen_gaps_;
};

}  // namespace rosewood
