// core/lm/arpa_writer.cpp: n-grams are gathered one after the other and formatted in threads.
#include "lm/arpa_writer.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::size_t batch = 1 << 17;  // n-grams that are formatted at a time
constexpr std::int64_t grain = 1 << 10;

void put(std::string& out, float number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number + 0.0F).ptr;  // never -0
  out.append(digits, static_cast<std::size_t>(end - digits));
}

}  // namespace

ArpaWriter::ArpaWriter(const NgramTable& table, std::span<const std::uint8_t> word_bytes,
                       std::span<const std::int64_t> word_start, int threads)
    : table_(table), word_bytes_(word_bytes), word_start_(word_start), threads_(threads) {}

std::string ArpaWriter::next() {
  std::string out;
  if (n_ > table_.order()) return out;
  if (n_ == 0) {
    out = "\\data\\\n";
    for (int n = 1; n <= table_.order(); ++n)
      out += "ngram " + std::to_string(n) + "=" + std::to_string(table_.size(n)) + "\n";
  }
  if (n_ == 0 || probabilities_->is_done()) {  // the next order, or the end
    ++n_;
    out += n_ > table_.order() ? "\n\\end\\\n" : "\n\\" + std::to_string(n_) + "-grams:\n";
    if (n_ <= table_.order()) begin_order();
    return out;
  }
  gather();
  const auto count = static_cast<std::int64_t>(probability_.size());
  const std::int64_t pieces = std::clamp<std::int64_t>(count / grain, 1, threads_);
  std::vector<std::string> text(static_cast<std::size_t>(pieces));
  parallel_for(pieces, threads_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      format(static_cast<std::size_t>(count * p / pieces),
             static_cast<std::size_t>(count * (p + 1) / pieces), text[static_cast<std::size_t>(p)]);
  });
  out = std::move(text[0]);
  for (std::size_t p = 1; p < text.size(); ++p) out += text[p];
  return out;
}

void ArpaWriter::begin_order() {
  levels_.clear();
  for (int m = 1; m <= n_; ++m) {
    const NgramOrder& order = table_.orders[m - 1];
    levels_.push_back({order.word.read(), std::nullopt});
    if (m < n_) levels_.back().children.emplace(order.children.read());
  }
  current_.assign(static_cast<std::size_t>(n_), 0);
  probabilities_.emplace(table_.orders[n_ - 1].probability.read());
  backoffs_.reset();
  if (n_ < table_.order()) backoffs_.emplace(table_.orders[n_ - 1].backoff.read());
}

/// Goes on to the next n-gram, and on the way to the next ones that it ends in.
void ArpaWriter::step() {
  for (int m = n_ - 1;;) {
    while (m > 0 && levels_[m - 1].left == 0) --m;
    if (m > 0) --levels_[m - 1].left;
    Level& level = levels_[m];
    if (level.words.is_done() || (level.children && level.children->is_done()))
      fail<LanguageModelError>("lm.ngrams", "order ", m + 1, " of the table has too few n-grams");
    current_[m] = level.words.next();
    if (current_[m] + 1 >= word_start_.size())
      fail<LanguageModelError>("lm.ngrams", "order ", m + 1, " of the table has a word ",
                               current_[m], " that is none");
    if (!level.children) return;
    level.left = level.children->next();
    if (level.left > 0) ++m;
  }
}

void ArpaWriter::gather() {
  words_.clear();
  probability_.clear();
  backoff_.clear();
  while (probability_.size() < batch && !probabilities_->is_done()) {
    step();
    words_.insert(words_.end(), current_.rbegin(), current_.rend());
    probability_.push_back(probabilities_->next());
    if (backoffs_) backoff_.push_back(backoffs_->next());
  }
}

void ArpaWriter::format(std::size_t begin, std::size_t end, std::string& out) const {
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t i = begin; i < end; ++i) {
    put(out, probability_[i]);
    for (std::size_t w = i * n; w < (i + 1) * n; ++w) {
      out += (w == i * n ? '\t' : ' ');
      out += word(words_[w]);
    }
    if (backoffs_) {
      out += '\t';
      put(out, backoff_[i]);
    }
    out += '\n';
  }
}

}  // namespace rosewood
