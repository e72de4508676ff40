#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "host/entry_loader.h"
#include "host/walk.h"
#include "packfs/error.h"

namespace packfs::host {

/// A walk's steps and their entries, in order, read ahead by helper threads.
///
/// Helpers take whole steps, and walk on when no step is waiting; they stop when kMaxSteps are at hand or more than
/// kMaxBytes of content wait to be taken (each may exceed that by one file). A step that no helper has taken when its
/// turn comes is left to the caller, so without helpers everything is done by the caller, in the same order.
/// Threads: one, the caller's; the others are its own. Borrows walk and loader.
class ImportQueue {
 public:
  static constexpr std::size_t kMaxSteps = 12;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kDirectoryWeight = 20;  ///< in entries, of ImportOptions::helpers_after

  /// `threads` counts the caller's.
  ImportQueue(Walk& walk, const EntryLoader& loader, unsigned threads, std::uint64_t helpers_after);
  ~ImportQueue();
  ImportQueue(const ImportQueue&) = delete;
  ImportQueue& operator=(const ImportQueue&) = delete;

  /// The next step, valid until the next call; null at the end. Entries of the one before that were not taken are
  /// dropped. Errors: no_memory.
  [[nodiscard]] Result<WalkStep*> next();

  /// Entry `index` (from step.begin on, each once, in order) of the current step, as load_ahead() or probe() gives it.
  /// Errors: no_memory.
  [[nodiscard]] Result<LoadedEntry> take(std::size_t index);

 private:
  enum class Reader : std::uint8_t { nobody, helper, caller };
  struct Step {
    WalkStep walk;
    Reader reader = Reader::nobody;
    std::vector<LoadedEntry> entries;  // a helper's results; grows to its reserved size
    std::size_t ready = 0;             // of them
    std::size_t taken = 0;
    bool busy = false;       // a helper is reading it
    bool abandoned = false;  // the caller wants no more of it
  };
  using Lock = std::unique_lock<std::mutex>;

  void start_helpers();
  void help();
  void help_until_done(Lock& lock);
  void walk_one(Lock& lock);
  void read_step(Lock& lock, Step& step);
  void wait_for_room(Lock& lock, const Step& step, std::size_t index);
  void drop_current(Lock& lock);
  [[nodiscard]] bool may_read(const Step& step, std::size_t index) const;
  [[nodiscard]] Step* unread_step() const;
  [[nodiscard]] bool may_walk() const { return !walking_ && !walk_ended_ && steps_.size() < kMaxSteps; }

  Walk& walk_;
  const EntryLoader& loader_;
  std::size_t helpers_wanted_;
  const std::uint64_t helpers_after_;
  std::uint64_t weight_ = 0;  // of what the caller has been given
  std::vector<std::thread> helpers_;

  std::mutex mutex_;  // guards all below
  std::condition_variable caller_;
  std::condition_variable helper_;  // there may be something to do
  std::condition_variable room_;    // there may be room for content
  unsigned waiting_for_room_ = 0;
  std::deque<std::unique_ptr<Step>> steps_;  // the first is the caller's current one
  bool has_current_ = false;
  bool walking_ = false;
  bool walk_ended_ = false;
  bool stopping_ = false;
  bool out_of_memory_ = false;
  std::uint64_t waiting_bytes_ = 0;
};

}  // namespace packfs::host
