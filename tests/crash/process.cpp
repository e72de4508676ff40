#include "crash/process.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "stress/apply.h"
#include "stress/compare.h"

namespace packfs::testing {

using stress::Operation;
using stress::Outcome;

void Process::open(std::uint64_t segment_bytes) {
  auto volume = open_store(io_, segment_bytes);
  if (!volume) return die("open", volume.error().code());
  std::size_t found = 0;
  auto wrong = check_state(*volume, history_, found);
  if (!wrong.empty()) {
    // Reading needs the disk, too.
    if (!disk_.crashed()) history_.complaint = "opened again: " + wrong;
    is_dead_ = true;
    return;
  }
  history_.states.resize(found + 1, new_model());
  history_.durable = found;
  history_.is_made = true;
  current_ = history_.states.back();
  volume_.emplace(std::move(*volume));
}

void Process::run(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (!is_over()) act(action);
  }
}

void Process::end() {
  transaction_.reset();
  volume_.reset();
}

void Process::act(const Action& action) {
  switch (action.kind) {
    case Action::Kind::call:
      return call(action.operation, action.is_async);
    case Action::Kind::begin:
      if (transaction_) return;
      if (auto begun = volume_->begin()) transaction_.emplace(std::move(*begun));
      return;
    case Action::Kind::commit:
      return commit(action.is_async);
    case Action::Kind::drop:
      transaction_.reset();
      current_ = history_.states.back();
      return;
    case Action::Kind::sync:
      return sync();
    default:
      return group(action);
  }
}

/// The power failed, or what was to fail did: nothing more can be done.
void Process::die(const std::string& what, const std::optional<ErrorCode>& error) {
  is_dead_ = true;
  if (disk_.crashed()) return;
  if (!may_fail_) {
    history_.complaint = what + " fails: " + (error ? Error(*error).message() : "");
  } else if (volume_) {
    check_poisoned();
  }
}

/// What readers saw they see, and nobody writes.
void Process::check_poisoned() {
  transaction_.reset();
  std::size_t found = 0;
  if (auto wrong = check_state(*volume_, history_, found); !wrong.empty()) history_.complaint = "poisoned: " + wrong;
  const auto written = volume_->make_directory("late");
  if (written || written.error().code() != ErrorCode::poisoned) history_.complaint = "a poisoned store takes a write";
  const auto synced = volume_->sync();
  if (synced || synced.error().code() != ErrorCode::poisoned) history_.complaint = "a poisoned store says it is synced";
}

void Process::committed(bool is_durable) {
  if (is_durable) history_.durable = history_.states.size() - 1;
}

void Process::call(const Operation& operation, bool is_async) {
  Volume volume = volume_->with(is_async ? Durability::async : Durability::sync);
  const Outcome expected = apply(operation, current_);
  // It may be found from the moment on in which it is begun.
  if (!transaction_ && !expected.error) history_.states.push_back(current_);
  const Outcome real = transaction_ ? apply(operation, *transaction_) : apply(operation, volume);
  if (real.error == ErrorCode::io_error || real.error == ErrorCode::poisoned) {
    return die(to_text(operation), real.error);
  }
  if (!agrees(real, expected)) {
    history_.complaint = to_text(operation) + " gave " + real.to_text() + ", not " + expected.to_text();
  }
  if (!transaction_ && !expected.error) committed(!is_async);
}

void Process::commit(bool is_async) {
  if (!transaction_) return;
  history_.states.push_back(current_);
  const auto done = transaction_->commit(is_async ? Durability::async : Durability::sync);
  transaction_.reset();
  if (!done) return die("commit", done.error().code());
  committed(!is_async);
}

void Process::sync() {
  if (transaction_) return;
  const auto done = volume_->sync();
  if (!done) return die("sync", done.error().code());
  committed(true);
}

/// Each writes when the one before it has, so that their order is known; the first waits in its sync for the others.
void Process::group(const Action& action) {
  const std::uint64_t before = io_.count("pwrite");
  const std::size_t count = action.group.size();
  const auto written = [&] { return io_.count("pwrite") - before; };
  io_.gate(action.kind == Action::Kind::group_before, [&] { return written() >= count || disk_.crashed(); });
  std::vector<Outcome> outcomes(count);
  const auto ended = std::make_unique<std::atomic<bool>[]>(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<void>(apply(action.group[i], current_));
    history_.states.push_back(current_);
    threads.emplace_back([&, i] {
      outcomes[i] = apply(action.group[i], *volume_);
      ended[i] = true;
    });
    while (written() <= i && !ended[i]) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  io_.open_gate();
  for (std::size_t i = 0; i < count; ++i) {
    if (outcomes[i].error) return die(to_text(action.group[i]), outcomes[i].error);
  }
  committed(true);
}

}  // namespace packfs::testing
