#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kill/ledger.h"
#include "kill/plan.h"
#include "packfs/volume.h"
#include "stress/model.h"

namespace packfs::kill {

/// What may be found in a store whose writers were killed, by their ledger: of each thread's steps those up to the last
/// that is known to be durable, and of the further ones that were begun a front part; of none that was begun after
/// another had returned, unless that other is there too. One thread at a time.
class Expectation {
 public:
  /// A line of the ledger; a found one begins anew from there.
  void take(const Line& line);
  /// From here on all must be there that is known to be durable by the lines so far.
  void settle();
  /// What is wrong with a state, in words; else found() is what it holds.
  [[nodiscard]] std::string check(const Snapshot& state);
  /// Of each thread: its steps that are there. Their number may not be told from the state; then it is the greatest.
  [[nodiscard]] std::vector<std::uint64_t> found() const;
  /// Steps that had returned, without a promise, and were not found by the last check().
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::uint64_t begun() const;
  [[nodiscard]] bool has_threads() const { return !threads_.empty(); }

 private:
  /// Which transaction: round, thread, index.
  using Id = std::tuple<std::uint64_t, std::size_t, std::size_t>;
  struct Done {
    std::uint64_t outcomes = 0;
    bool committed = false;
  };
  /// The state of a thread's directory after so many steps.
  struct State {
    stress::Model model{kUid, kGid};
    std::uint64_t steps = 0;
    std::vector<Id> transactions;  // of all rounds
  };
  struct Thread {
    State settled;
    std::vector<std::vector<std::uint64_t>> returned_before;  // of each step begun: how many of each thread's
    std::vector<Done> ended;                                  // of each step that returned
    std::uint64_t durable = 0;
    std::uint64_t least_found = 0;
    std::uint64_t most_found = 0;
  };

  void end(const Line& line);
  Done advance(State& state, std::size_t thread) const;
  std::string advance_checked(State& state, std::size_t thread) const;
  std::string find(const Snapshot& state, std::size_t thread, const std::vector<Id>& order);
  std::string check_prefix(std::size_t thread) const;
  std::string check_order(const std::vector<Id>& order) const;

  std::uint64_t round_ = 0;
  std::uint64_t seed_ = 0;
  bool is_used_ = false;  // a thread has begun something, in some round
  std::vector<Thread> threads_;
  std::map<Id, std::uint64_t> commits_;  // the numbers that were told
  std::uint64_t durable_commit_ = 0;     // the greatest number that was told to be durable
  std::uint64_t settled_commit_ = 0;
  std::string wrong_;  // what the ledger itself says
};

}  // namespace packfs::kill
