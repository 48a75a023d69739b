// core/decode/batch_runner.cpp: a queue of sentences; the calling thread also watches for
// interruptions.
#include "decode/batch_runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr auto patience = std::chrono::milliseconds(20);  // between two questions to the caller

class BatchRunner {
 public:
  BatchRunner(std::size_t sentences, std::uint64_t first_number, Interruption& interruption,
              const std::function<void(std::size_t, Interruption&)>& body)
      : sentences_(sentences),
        first_number_(first_number),
        interruption_(interruption),
        body_(body),
        failed_(sentences) {}

  /// What each thread does.
  void work() {
    auto asked = std::chrono::steady_clock::now();
    try {
      for (std::size_t n; take(n);) {
        const Done done(*this);
        // Short sentences end before their search asks, so the caller is asked between them, too.
        if (interruption_.is_caller() && std::chrono::steady_clock::now() - asked > patience) {
          interruption_();
          asked = std::chrono::steady_clock::now();
        }
        run(n);
      }
      if (interruption_.is_caller()) wait();
    } catch (const Interruption::Stopped&) {
    }
  }

  void rethrow() const {
    interruption_.rethrow();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Done {
    BatchRunner& runner;
    explicit Done(BatchRunner& owner) : runner(owner) {}
    ~Done() {
      const std::lock_guard held(runner.mutex_);
      if (--runner.busy_ == 0) runner.is_idle_.notify_all();
    }
  };

  bool take(std::size_t& sentence) {
    const std::lock_guard held(mutex_);
    if (next_ >= sentences_ || error_ || interruption_.is_stopped()) return false;
    sentence = next_++;
    ++busy_;
    return true;
  }

  void run(std::size_t sentence) {
    const std::uint64_t number = first_number_ + sentence;
    try {
      try {
        body_(sentence, interruption_);
      } catch (const DecodingError& error) {
        throw restated(error, "sentence", number);
      } catch (const RuleError& error) {
        throw restated(error, "sentence", number);
      }
    } catch (const Interruption::Stopped&) {
      throw;
    } catch (...) {
      const std::lock_guard held(mutex_);
      if (sentence >= failed_) return;
      failed_ = sentence;
      error_ = std::current_exception();
    }
  }

  /// The calling thread has no sentence left, but others have: it still watches for interruptions.
  void wait() {
    std::unique_lock held(mutex_);
    while (!is_idle_.wait_for(held, patience, [&] { return busy_ == 0; })) {
      held.unlock();
      interruption_();
      held.lock();
    }
  }

  std::size_t sentences_;
  std::uint64_t first_number_;
  Interruption& interruption_;
  const std::function<void(std::size_t, Interruption&)>& body_;
  std::mutex mutex_;
  std::condition_variable is_idle_;
  std::size_t next_ = 0, busy_ = 0;  // sentences: the next one; those that are being worked on
  std::size_t failed_;               // the first sentence with an error
  std::exception_ptr error_;
};

}  // namespace

void Interruption::operator()() {
  if (!is_stopped_ && is_caller()) {
    try {
      check_();
    } catch (...) {
      error_ = std::current_exception();
      is_stopped_ = true;
    }
  }
  if (is_stopped_) throw Stopped{};
}

void run_batch(std::size_t sentences, std::uint64_t first_number, int threads,
               std::function<void()> check,
               const std::function<void(std::size_t, Interruption&)>& body) {
  Interruption interruption(std::move(check));
  BatchRunner runner(sentences, first_number, interruption, body);
  const auto workers = static_cast<std::int64_t>(
      std::clamp<std::size_t>(sentences, 1, static_cast<std::size_t>(std::max(1, threads))));
  parallel_for(workers, static_cast<int>(workers), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t worker = begin; worker < end; ++worker) runner.work();
  });
  runner.rethrow();
}

}  // namespace rosewood
