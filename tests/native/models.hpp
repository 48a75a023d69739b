// tests/native/models.hpp: language models in memory, and what they have to say by the definition.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "lm/arpa_reader.hpp"
#include "lm/model.hpp"
#include "lm/writer.hpp"

/// The n-grams of a model as they are listed; suffixes and prefixes of n-grams may be missing.
struct NgramList {
  using Words = std::vector<std::uint32_t>;
  struct Weights {
    float probability, backoff;
  };
  int order = 1;
  std::uint32_t words = 3;  // <unk>, <s>, </s>, w3, w4, …
  std::map<Words, Weights> ngrams;

  static NgramList random(check::Chance& chance, int order, std::uint32_t words) {
    NgramList list{order, words, {}};
    // Halves and quarters: sums are exact, and texts of a few digits are, too.
    const auto number = [&] { return -0.25F * static_cast<float>(1 + chance.below(20)); };
    for (std::uint32_t w = 0; w < words; ++w) list.ngrams[{w}] = {number(), number()};
    for (int n = 2; n <= order; ++n)
      for (std::uint64_t k = chance.below(10 * n); k > 0; --k) {
        Words ngram(static_cast<std::size_t>(n));
        for (auto& word : ngram) word = static_cast<std::uint32_t>(chance.below(words));
        list.ngrams[ngram] = {number(), chance.below(3) ? number() : 0.0F};
      }
    for (auto& [ngram, weights] : list.ngrams)
      if (std::ssize(ngram) == order) weights.backoff = 0;
    return list;
  }

  /// log10 p(word | context), the latest word of the context last.
  double score(Words context, std::uint32_t word) const {
    double lost = 0;
    while (std::ssize(context) >= order) context.erase(context.begin());
    for (;; context.erase(context.begin())) {
      Words whole = context;
      whole.push_back(word);
      if (const auto found = ngrams.find(whole); found != ngrams.end())
        return lost + double{found->second.probability};
      if (const auto found = ngrams.find(context); found != ngrams.end())
        lost += double{found->second.backoff};
    }
  }

  static std::string name(std::uint32_t word) {
    const char* special[] = {"<unk>", "<s>", "</s>"};
    return word < 3 ? special[word] : "w" + std::to_string(word);
  }
  std::string arpa() const {
    std::string text = "\\data\\\n";
    std::vector<std::string> sections(static_cast<std::size_t>(order));
    std::vector<int> counts(sections.size());
    for (const auto& [ngram, weights] : ngrams) {
      char number[40];
      std::snprintf(number, sizeof number, "%.9g", static_cast<double>(weights.probability));
      std::string line = number;
      for (const auto word : ngram) line += (word == ngram[0] ? '\t' : ' ') + name(word);
      std::snprintf(number, sizeof number, "\t%.9g\n", static_cast<double>(weights.backoff));
      sections[ngram.size() - 1] += line + (std::ssize(ngram) < order ? number : "\n");
      ++counts[ngram.size() - 1];
    }
    for (std::size_t n = 0; n < counts.size(); ++n)
      text += "ngram " + std::to_string(n + 1) + "=" + std::to_string(counts[n]) + "\n";
    for (std::size_t n = 0; n < counts.size(); ++n)
      text += "\n\\" + std::to_string(n + 1) + "-grams:\n" + sections[n];
    return text + "\n\\end\\\n";
  }
};

/// A model of an ARPA text in one of the layouts.
class ArpaModel {
 public:
  explicit ArpaModel(const std::string& arpa, bool is_small = false, int bits = 0) {
    using namespace rosewood;
    ArpaReader reader(SortRoom{}, 1000);
    auto bad = reader.feed(arpa);
    if (!bad) bad = reader.finish();
    if (bad) fail<LanguageModelError>("line.value", "line ", bad->line, ": ", bad->reason.text);
    const NgramTable table = reader.take_table();
    const auto bytes = reader.words().bytes();
    const auto start = reader.words().start();
    shape_ = {is_small, bits, 7, {}};
    ModelWriter writer(table, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                       {reinterpret_cast<const std::uint8_t*>(start.data()), start.size_bytes()},
                       shape_, SortRoom{});
    for (const std::string& part : writer.parts()) {
      const std::size_t first = file_.size();
      Sink sink([&](std::span<const std::uint8_t> piece) {
        file_.insert(file_.end(), piece.begin(), piece.end());
      });
      CHECK(writer.write(part, sink));
      places_[part] = {first, file_.size() - first};
    }
    for (int n = 1; n <= table.order(); ++n) shape_.counts.push_back(table.size(n));
    open();
    model_->check();
  }

  const rosewood::LanguageModel& operator*() const { return *model_; }
  const rosewood::LanguageModel* operator->() const { return model_.get(); }

  /// Changes a byte of the file, which is to be opened again; returns what was there.
  std::pair<std::size_t, std::uint8_t> damage(check::Chance& chance) {
    const std::size_t place = chance.below(file_.size());
    return {place, std::exchange(file_[place], static_cast<std::uint8_t>(chance.bits(8)))};
  }
  void repair(const std::pair<std::size_t, std::uint8_t>& damage) {
    file_[damage.first] = damage.second;
  }
  void open() { model_ = std::make_unique<rosewood::LanguageModel>(file_, places_, shape_); }

 private:
  std::vector<std::uint8_t> file_;
  rosewood::Places places_;
  rosewood::ModelShape shape_;
  std::unique_ptr<rosewood::LanguageModel> model_;
};
