// tests/native/phrase_tables.hpp: small rule tables of phrases, and features for them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "decode/feature_layout.hpp"
#include "folder.hpp"
#include "rules/table_search.hpp"
#include "rules/text_rules.hpp"
#include "util/file.hpp"

namespace phrase_tables {

using namespace rosewood;

using Texts = std::vector<std::string_view>;
using FeatureRows = std::vector<FeatureLayout::Row>;

struct Phrase {
  Texts source, target;
  float scores[2];
};

/// A rule table of phrases with two features, read from its files.
class Table {
 public:
  explicit Table(const std::vector<Phrase>& phrases) {
    TextRules rules;
    for (const Phrase& phrase : phrases) {
      TextRule rule;
      rule.left = "X";
      for (const auto word : phrase.source) rule.source.push_back({word});
      for (const auto word : phrase.target) rule.target.push_back({word});
      rule.features = {{"first", phrase.scores[0]}, {"second", phrase.scores[1]}};
      if (!phrase.target.empty()) rule.links = {{0, 0}};
      rules.add(rule, rules.size() + 1);
    }
    rules.finish(0);
    RuleTableWriter writer(folder_.path.string(), {{"X"}, {"first", "second"}, {}});
    rules.write(writer, 0, rules.size());
    const auto bytes = [](const WordTable& words) {
      return std::span(reinterpret_cast<const std::uint8_t*>(words.bytes().data()),
                       words.bytes().size());
    };
    writer.finish(bytes(rules.source_words()), rules.source_words().start(),
                  bytes(rules.target_words()), rules.target_words().start());
    TableFiles files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path)) {
      auto& held = held_[entry.path().filename().string()];
      held.resize(static_cast<std::size_t>(entry.file_size()));
      File(entry.path().string(), "rb").read(held.data(), held.size());
      files[entry.path().filename().string()] = held;
    }
    table_.emplace(files);
    table_->check();
  }
  const RuleTable& operator*() const { return *table_; }
  const RuleTable* operator->() const { return &*table_; }

 private:
  Folder folder_;
  std::map<std::string, std::vector<std::uint8_t>> held_;
  std::optional<RuleTable> table_;
};

/// Both columns of the table, penalties, distortion, and some language models.
inline FeatureLayout layout_of(std::size_t models, std::size_t orientations = 0) {
  FeatureRows rows{{"second", "table", 1},
                   {"first", "table", 0},
                   {"words", "word_penalty", 0},
                   {"phrases", "phrase_penalty", 0},
                   {"unknown", "unknown_penalty", 0},
                   {"jump", "distortion", 0}};
  for (std::size_t n = 0; n < models; ++n)
    rows.push_back({"lm" + std::to_string(n), "lm", static_cast<std::int64_t>(n)});
  for (std::size_t n = 0; n < orientations; ++n)
    rows.push_back({"o" + std::to_string(n), "orientation", static_cast<std::int64_t>(n)});
  return FeatureLayout(rows);
}

/// Any phrases: sources of words a .. d, targets of words w3 .. w7 and one that no model knows.
inline std::vector<Phrase> random_phrases(check::Chance& chance) {
  const Texts source{"a", "b", "c", "d"}, target{"w3", "w4", "w5", "w6", "w7", "strange"};
  std::vector<Phrase> phrases;
  for (std::uint64_t n = 1 + chance.below(25); n > 0; --n) {
    Phrase phrase{{}, {}, {}};
    phrase.source.resize(1 + chance.below(2));
    phrase.target.resize(chance.below(4));
    for (auto& word : phrase.source) word = source[chance.below(3)];  // nothing for d
    for (auto& word : phrase.target) word = target[chance.below(6)];
    for (float& score : phrase.scores) score = -static_cast<float>(chance.unit());
    phrases.push_back(phrase);
  }
  return phrases;
}

}  // namespace phrase_tables
