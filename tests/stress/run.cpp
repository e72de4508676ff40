#include "stress/run.h"

#include <chrono>
#include <span>
#include <utility>

#include "stress/diff_check.h"

namespace packfs::stress {

namespace {

using Kind = Operation::Kind;

Complaint mismatch(const std::string& what, const Outcome& real, const Outcome& expected) {
  return what + " gave " + real.to_text() + ", not " + expected.to_text();
}

template <class T>
Complaint demand_error(const Result<T>& result, ErrorCode code, const std::string& what) {
  if (!result && result.error().code() == code) return std::nullopt;
  return what + (result ? " succeeded" : " gave " + result.error().message());
}

}  // namespace

Run::Run(const Setting& setting, const Closeness& closeness)
    : setting_(setting),
      closeness_(closeness),
      volume_(setting.make()),
      committed_(setting.start),
      current_(setting.start) {}

const Writable& Run::reader() const {
  if (transaction_) return *transaction_;
  return volume_;
}

Complaint Run::step(const Operation& operation) {
  if (steps_ == 0) {
    if (auto complaint = compare_all()) return "at the beginning: " + *complaint;
  }
  ++steps_;
  if (auto complaint = perform(operation)) return complaint;
  if (auto complaint = compare_places(operation)) return complaint;
  if (setting_.reopen && steps_ % closeness_.reopened_every == 0) {
    if (auto complaint = reopen()) return complaint;
  }
  if (setting_.follow && steps_ % closeness_.followed_every == 0) {
    if (auto complaint = follow()) return complaint;
  }
  if (steps_ % closeness_.whole_state_every == 0) {
    if (auto complaint = compare_all()) return complaint;
  }
  return steps_ % closeness_.held_every == 0 ? compare_held() : std::nullopt;
}

Complaint Run::perform(const Operation& operation) {
  switch (operation.kind) {
    case Kind::begin:
      return begin(operation);
    case Kind::commit:
      return commit();
    case Kind::drop:
      return drop(operation);
    case Kind::write_beside:
      return write_beside(operation);
    case Kind::hold:
      return hold(operation);
    case Kind::release:
      return release(held_[operation.slot]);
    case Kind::open_file:
      return open_file(operation);
    case Kind::close_file: {
      auto& opened = opened_[operation.slot];
      auto complaint = opened ? compare_opened(*opened) : std::nullopt;
      opened.reset();
      return complaint;
    }
    case Kind::diff:
      return diff(operation);
    default:
      return call(operation);
  }
}

Complaint Run::call(const Operation& operation) {
  // What a clone shares its numbers with must have been seen.
  if (operation.kind == Kind::clone) {
    if (auto complaint = compare_all()) return complaint;
  }
  const std::uint64_t commit_before = volume_.snapshot().commit();
  Outcome real;
  if (transaction_) {
    real = apply(operation, *transaction_);
  } else {
    real = apply(operation, volume_);
  }
  const Outcome expected = apply(operation, current_);
  if (!agrees(real, expected)) return mismatch("the call", real, expected);
  const std::uint64_t commit = volume_.snapshot().commit();
  const bool is_change = operation.kind < Kind::read;
  if (transaction_ || !is_change || expected.error) {
    if (commit != commit_before) return "commit " + std::to_string(commit) + " came of nothing";
  } else if (commit < commit_before) {
    return "commit " + std::to_string(commit) + " after " + std::to_string(commit_before);
  }
  if (!transaction_) committed_ = current_;
  return std::nullopt;
}

Complaint Run::begin(const Operation& operation) {
  using std::chrono::nanoseconds;
  auto begun = operation.slot == 0   ? volume_.try_begin()
               : operation.slot == 1 ? volume_.begin_for(nanoseconds(1000))
                                     : volume_.begin();
  if (transaction_) return demand_error(begun, ErrorCode::busy, "a second begin");
  if (!begun) return "begin: " + begun.error().message();
  transaction_.emplace(std::move(*begun));
  committed_numbers_ = numbers_;
  return std::nullopt;
}

Complaint Run::commit() {
  if (!transaction_) return std::nullopt;
  const std::uint64_t commit_before = volume_.snapshot().commit();
  const auto number = transaction_->commit();
  if (!number) return "commit: " + number.error().message();
  const std::uint64_t commit = volume_.snapshot().commit();
  if (*number != commit || commit < commit_before) {
    return "commit() gave " + std::to_string(*number) + ", the snapshot has " + std::to_string(commit) + " after " +
           std::to_string(commit_before);
  }
  committed_ = current_;
  if (auto complaint = demand_error(transaction_->commit(), ErrorCode::invalid, "a second commit")) return complaint;
  if (auto complaint = demand_error(transaction_->unlink("a"), ErrorCode::invalid, "a late unlink")) return complaint;
  if (auto complaint = demand_error(transaction_->stat(""), ErrorCode::invalid, "a late stat")) return complaint;
  transaction_.reset();
  return std::nullopt;
}

Complaint Run::drop(const Operation& operation) {
  if (!transaction_) return std::nullopt;
  if (operation.slot % 2 == 0) {
    transaction_->drop();
    if (auto complaint = demand_error(transaction_->commit(), ErrorCode::invalid, "commit after drop")) {
      return complaint;
    }
  }
  transaction_.reset();
  current_ = committed_;
  numbers_ = committed_numbers_;
  return std::nullopt;
}

/// What is held and opened stays, and shows what it showed.
Complaint Run::reopen() {
  if (auto complaint = drop({})) return complaint;
  for (auto& held : held_) {
    if (held) held_of_closed_.push_back(std::move(*held));
    held.reset();
  }
  const std::uint64_t commit = volume_.snapshot().commit();
  volume_ = setting_.reopen(std::move(volume_));
  if (volume_.snapshot().commit() < commit) return "reopened at an earlier commit";
  auto complaint = compare_all();
  if (complaint) return "reopened: " + *complaint;
  return std::nullopt;
}

/// All that was committed is durable, so whoever reads it by another volume sees all of it when it asks.
Complaint Run::follow() {
  follower_ = setting_.follow(std::move(follower_));
  const auto refreshed = follower_->refresh();
  if (!refreshed) return "refresh: " + refreshed.error().message();
  ShownNumbers shown;
  if (auto complaint = compare_state(static_cast<const Writable&>(*follower_), committed_, shown)) {
    return "a reader beside: " + *complaint;
  }
  const std::uint64_t seen = follower_->snapshot().commit();
  const std::uint64_t commit = volume_.snapshot().commit();
  // Numbers that were used by none are told to readers when a segment begins behind them.
  if (seen < commit) return "a reader beside shows commit " + std::to_string(seen) + ", not " + std::to_string(commit);
  Numbers& numbers = transaction_ ? committed_numbers_ : numbers_;
  if (auto complaint = numbers.take(committed_, shown)) return "a reader beside: " + *complaint;
  return std::nullopt;
}

/// While this thread has a transaction the volume takes no change from it; what it reads there is what was committed.
Complaint Run::write_beside(const Operation& operation) {
  Operation write = operation;
  write.kind = Kind::write;
  if (!transaction_) return call(write);
  const Outcome real = apply(write, volume_);
  const Outcome expected{ErrorCode::busy, "", {}};
  if (!agrees(real, expected)) return mismatch("a write beside the transaction", real, expected);
  ShownNumbers shown;
  if (auto complaint = compare_state(static_cast<const Writable&>(volume_), committed_, shown)) {
    return "read beside the transaction: " + *complaint;
  }
  return committed_numbers_.take(committed_, shown);
}

Complaint Run::hold(const Operation& operation) {
  if (auto complaint = release(held_[operation.slot])) return complaint;
  Held held{volume_.snapshot(), committed_, {}};
  if (auto complaint = compare_state(held.snapshot, held.model, held.shown)) return "new snapshot: " + *complaint;
  Numbers& numbers = transaction_ ? committed_numbers_ : numbers_;
  if (auto complaint = numbers.take(committed_, held.shown)) return "new snapshot: " + *complaint;
  held_[operation.slot].emplace(std::move(held));
  return std::nullopt;
}

Complaint Run::release(std::optional<Held>& held) {
  auto complaint = held ? compare_held(*held) : std::nullopt;
  held.reset();
  return complaint;
}

Complaint Run::open_file(const Operation& operation) {
  auto file = reader().open_file(operation.path);
  const auto content = current_.content(operation.path);
  const Outcome real{file ? std::nullopt : std::optional(file.error().code()), "", {}};
  const Outcome expected{content ? std::nullopt : std::optional(content.error()), "", {}};
  if (!agrees(real, expected)) return mismatch("open", real, expected);
  if (!file) return std::nullopt;
  const auto stat = file->stat();
  if (!stat) return "stat of an open file: " + stat.error().message();
  const std::string expected_stat = stat_text(*current_.stat(operation.path, LastLink::followed));
  if (stat_text(*stat) != expected_stat) return "stat of an open file: " + stat_text(*stat) + ", not " + expected_stat;
  opened_[operation.slot].emplace(Opened{std::move(*file), *content, expected_stat, stat->inode});
  return compare_opened(*opened_[operation.slot]);
}

Complaint Run::diff(const Operation& operation) {
  const auto& from = held_[operation.slot];
  if (!from) return std::nullopt;
  const bool to_held = operation.option < held_.size() && held_[operation.option];
  const Snapshot now = volume_.snapshot();
  const Snapshot& to = to_held ? held_[operation.option]->snapshot : now;
  const Model& to_model = to_held ? held_[operation.option]->model : committed_;
  const auto changes = packfs::diff(from->snapshot, to);
  if (!changes) return "diff: " + changes.error().message();
  if (auto complaint = check_diff(*changes, from->snapshot, from->model, to, to_model)) return "diff: " + *complaint;
  return std::nullopt;
}

}  // namespace packfs::stress
