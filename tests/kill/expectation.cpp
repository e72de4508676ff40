#include "kill/expectation.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "stress/apply.h"
#include "stress/compare.h"

namespace packfs::kill {
namespace {

std::string name_of(std::size_t thread, std::uint64_t steps) {
  return "step " + std::to_string(steps) + " of thread " + std::to_string(thread);
}

std::optional<std::string> order_text(const Snapshot& state) {
  const auto file = state.open(kOrder);
  if (!file) return file.error().code() == ErrorCode::no_entry ? std::optional<std::string>("") : std::nullopt;
  std::string text(file->size(), '\0');
  const auto read = file->read(0, std::as_writable_bytes(std::span(text)));
  if (!read || *read != text.size()) return std::nullopt;
  return text;
}

template <class Id>
std::optional<std::vector<Id>> order_of(const Snapshot& state) {
  const auto text = order_text(state);
  if (!text) return std::nullopt;
  std::vector<Id> order;
  for (std::string_view rest = *text; !rest.empty();) {
    std::array<std::uint64_t, 3> numbers{};
    for (std::uint64_t& number : numbers) {
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc() || end == rest.data() + rest.size()) return std::nullopt;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
    }
    order.emplace_back(numbers[0], numbers[1], numbers[2]);
  }
  return order;
}

}  // namespace

void Expectation::take(const Line& line) {
  const auto& numbers = line.numbers;
  switch (line.kind) {
    case Line::Kind::writer:
      round_ = numbers.at(0);
      seed_ = numbers.at(1);
      threads_.resize(numbers.at(2));
      break;
    case Line::Kind::begun: {
      is_used_ = true;
      std::vector<std::uint64_t> returned;
      returned.reserve(threads_.size());
      for (const Thread& thread : threads_) returned.push_back(thread.ended.size());
      threads_.at(numbers.at(0)).returned_before.push_back(std::move(returned));
      break;
    }
    case Line::Kind::ended:
      end(line);
      break;
    case Line::Kind::found:
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        State& state = threads_[i].settled;
        while (state.steps < numbers.at(i)) advance(state, i);
        state.steps = 0;
        threads_[i] = {std::move(state), {}, {}, 0, 0, 0};
      }
      break;
    case Line::Kind::wrong:
      wrong_ = "a writer met an error";
      break;
  }
}

void Expectation::end(const Line& line) {
  const std::size_t which = line.numbers.at(0);
  const std::size_t index = line.numbers.at(1);
  Thread& thread = threads_.at(which);
  if (index != thread.ended.size() || index >= thread.returned_before.size()) wrong_ = "the ledger is out of order";
  const bool committed = line.numbers.at(3) != 0;
  thread.ended.push_back({line.numbers.at(2), committed});
  const Step step = step_of(seed_, which, index);
  const std::uint64_t commit = line.numbers.at(4);
  if (step.kind == Step::Kind::transaction && commit != 0) commits_[{round_, which, index}] = commit;
  if (step.kind != Step::Kind::sync && (!committed || step.is_async)) return;
  if (step.kind != Step::Kind::sync) {
    thread.durable = index + 1;
    durable_commit_ = std::max(durable_commit_, commit);
  }
  // And with it all that had returned before.
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].durable = std::max(threads_[i].durable, thread.returned_before.at(index)[i]);
  }
}

/// One more step.
Expectation::Done Expectation::advance(State& state, std::size_t thread) const {
  const Step step = step_of(seed_, thread, state.steps);
  Outcomes outcomes;
  stress::Model before(kUid, kGid);
  if (step.kind == Step::Kind::dropped_transaction) before = state.model;
  bool committed = step.kind == Step::Kind::transaction;
  for (const auto& operation : step.operations) {
    const auto outcome = stress::apply(operation, state.model);
    outcomes.add(outcome);
    if (step.kind == Step::Kind::call) committed = !outcome.error;
  }
  if (step.kind == Step::Kind::dropped_transaction) state.model = std::move(before);
  if (step.kind == Step::Kind::transaction) state.transactions.emplace_back(round_, thread, state.steps);
  ++state.steps;
  return {outcomes.value(), committed};
}

std::string Expectation::advance_checked(State& state, std::size_t thread) const {
  const std::uint64_t index = state.steps;
  const Done expected = advance(state, thread);
  const auto& ended = threads_[thread].ended;
  if (index >= ended.size()) return "";
  if (ended[index].outcomes == expected.outcomes && ended[index].committed == expected.committed) return "";
  return name_of(thread, index) + " ended as the model does not";
}

void Expectation::settle() {
  settled_commit_ = durable_commit_;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    while (thread.settled.steps < thread.durable) {
      if (auto wrong = advance_checked(thread.settled, i); !wrong.empty()) wrong_ = wrong;
    }
  }
}

std::string Expectation::check(const Snapshot& state) {
  if (!wrong_.empty()) return wrong_;
  const auto order = order_of<Id>(state);
  if (!order) return "the order of transactions cannot be read";
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (auto wrong = find(state, i, *order); !wrong.empty()) return wrong;
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (auto wrong = check_prefix(i); !wrong.empty()) return wrong;
  }
  if (state.commit() < settled_commit_) {
    return "is said to be of commit " + std::to_string(state.commit()) + ", but " + std::to_string(settled_commit_) +
           " was durable";
  }
  return check_order(*order);
}

/// How many of a thread's steps there are.
std::string Expectation::find(const Snapshot& state, std::size_t thread, const std::vector<Id>& order) {
  Thread& self = threads_[thread];
  std::vector<Id> transactions;
  std::ranges::copy_if(order, std::back_inserter(transactions),
                       [&](const Id& id) { return std::get<1>(id) == thread; });
  const auto directory = state.directory(directory_of(thread));
  if (!directory) {
    if (directory.error().code() == ErrorCode::no_entry && !is_used_) return "";
    return "the directory of thread " + std::to_string(thread) + ": " + directory.error().message();
  }
  State next = self.settled;
  std::string complaints;
  bool is_found = false;
  for (;;) {
    stress::ShownNumbers shown;
    auto complaint = stress::compare_state(*directory, next.model, shown);
    if (!complaint && next.transactions != transactions) complaint = "another number of transactions";
    if (complaint) {
      complaints += "\n  not " + name_of(thread, next.steps) + ": " + *complaint;
    } else {
      if (!is_found) self.least_found = next.steps;
      self.most_found = next.steps;
      is_found = true;
    }
    if (next.steps == self.returned_before.size()) break;
    if (auto wrong = advance_checked(next, thread); !wrong.empty()) return wrong;
  }
  return is_found ? "" : "thread " + std::to_string(thread) + " is found nowhere:" + complaints;
}

/// What returned before a step began that is there must be there too.
std::string Expectation::check_prefix(std::size_t thread) const {
  const Thread& self = threads_[thread];
  State state = self.settled;
  std::uint64_t last = 0;
  bool any = false;
  while (state.steps < self.least_found) {
    const std::uint64_t index = state.steps;
    if (!advance(state, thread).committed) continue;
    last = index;
    any = true;
  }
  if (!any) return "";
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].most_found < self.returned_before[last][i]) {
      return name_of(thread, last) + " is there, but not " + name_of(i, threads_[i].most_found) +
             ", which had returned before";
    }
  }
  return "";
}

/// Transactions stand in the order of their numbers, and behind those that had returned before they began.
std::string Expectation::check_order(const std::vector<Id>& order) const {
  std::uint64_t commit = 0;
  std::vector<std::uint64_t> seen(threads_.size());
  for (const Id& id : order) {
    const auto& [round, thread, index] = id;
    const std::string what = "transaction " + order_line(round, thread, index);
    if (const auto told = commits_.find(id); told != commits_.end()) {
      if (told->second <= commit) return what + " has the number " + std::to_string(told->second) + ", an earlier one";
      commit = told->second;
    }
    if (round != round_ || index >= threads_.at(thread).returned_before.size()) continue;
    seen[thread] = index + 1;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      for (std::uint64_t other = seen[i]; other < threads_[thread].returned_before[index][i]; ++other) {
        if (commits_.contains({round, i, other})) return what + " stands before one that had returned";
      }
    }
  }
  return "";
}

std::vector<std::uint64_t> Expectation::found() const {
  std::vector<std::uint64_t> found;
  found.reserve(threads_.size());
  for (const Thread& thread : threads_) found.push_back(thread.most_found);
  return found;
}

std::uint64_t Expectation::lost() const {
  std::uint64_t lost = 0;
  for (const Thread& thread : threads_) lost += thread.ended.size() - std::min(thread.ended.size(), thread.most_found);
  return lost;
}

std::uint64_t Expectation::begun() const {
  std::uint64_t begun = 0;
  for (const Thread& thread : threads_) begun += thread.returned_before.size();
  return begun;
}

}  // namespace packfs::kill
