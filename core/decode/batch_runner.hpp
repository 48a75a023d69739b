// core/decode/batch_runner.hpp: the sentences of a batch on several threads, with interruption, and
// errors that name the sentence. No Python here.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>

namespace rosewood {

/// Asks the caller whether the work should stop. A body calls it every now and then, on any thread.
///
/// The caller's `check` runs only on the thread that made this object, as signal handlers of a host
/// language require; it throws to interrupt. Its exception is kept for the caller. Every thread
/// then leaves its sentence with `Stopped`, which is not an error and never reaches the caller.
class Interruption {
 public:
  struct Stopped {};

  explicit Interruption(std::function<void()> check) : check_(std::move(check)) {}

  void operator()();
  bool is_stopped() const { return is_stopped_; }
  bool is_caller() const { return std::this_thread::get_id() == caller_; }
  /// Throws the caller's own exception if there was one.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::function<void()> check_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> is_stopped_{false};
  std::exception_ptr error_;  // written and read by the caller's thread only
};

/// Calls body(n, interruption) once for each n in [0, sentences), in any order, on up to `threads`
/// threads, the calling one among them. Returns when all of them are done.
///
/// If `check` threw, that exception is thrown here, whatever else went wrong. Otherwise the error
/// of the first sentence that has one is thrown: DecodingError and RuleError with the number of the
/// sentence, counted from `first_number`. After an error no further sentences are begun.
void run_batch(std::size_t sentences, std::uint64_t first_number, int threads,
               std::function<void()> check,
               const std::function<void(std::size_t, Interruption&)>& body);

}  // namespace rosewood
