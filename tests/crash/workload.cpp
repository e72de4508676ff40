#include "crash/workload.h"

#include <utility>

#include "crash/history.h"
#include "stress/each_call.h"
#include "stress/generator.h"
#include "stress/random.h"

namespace packfs::testing {
namespace {

using stress::call_of;
using stress::kCalls;
using stress::Operation;
using stress::Random;
using stress::tree_of_all;
using Kind = Operation::Kind;

constexpr std::uint64_t kLong = std::uint64_t{1} << 28;  // segments that are never left
constexpr std::uint64_t kShort = 64;                     // one for each transaction

Action call(Operation operation, bool is_async) { return {Action::Kind::call, is_async, std::move(operation), {}}; }
Action plain(Action::Kind kind, bool is_async = false) { return {kind, is_async, {}, {}}; }

Operation write_of(std::string path, std::uint64_t size, std::uint64_t seed, Kind kind = Kind::write) {
  Operation operation;
  operation.kind = kind;
  operation.path = std::move(path);
  operation.size = size;
  operation.seed = seed;
  operation.mode = 0644;
  return operation;
}

/// The first life: makes the store, and the tree as one commit.
Life making(const std::vector<Operation>& tree) {
  Life life;
  if (tree.empty()) return life;
  life.actions.push_back(plain(Action::Kind::begin));
  for (const Operation& operation : tree) life.actions.push_back(call(operation, false));
  life.actions.push_back(plain(Action::Kind::commit));
  return life;
}

void make_single(Workload& workload, Random& random) {
  workload.lives.push_back(making(tree_of_all()));
  const bool is_async = random.chance(40);
  Life life;
  life.actions.push_back(call(call_of(workload.seed, random.next()), is_async));
  if (is_async && random.chance(60)) life.actions.push_back(plain(Action::Kind::sync));
  workload.lives.push_back(std::move(life));
}

void make_pair(Workload& workload, Random& random) {
  workload.lives.push_back(making(tree_of_all()));
  const bool is_one = random.chance(30);
  const bool is_async = random.chance(50);
  Life life;
  if (is_one) life.actions.push_back(plain(Action::Kind::begin));
  life.actions.push_back(call(call_of(workload.seed, random.next()), is_async));
  life.actions.push_back(call(call_of(workload.seed / kCalls, random.next()), is_async && random.chance(70)));
  if (is_one) life.actions.push_back(plain(Action::Kind::commit, is_async));
  if (is_async && random.chance(50)) life.actions.push_back(plain(Action::Kind::sync));
  workload.lives.push_back(std::move(life));
}

void make_random(Workload& workload, Random& random) {
  workload.lives.emplace_back();
  const bool is_async = random.chance(30);
  const std::size_t calls = 1 + random.below(12);
  stress::Generator generator(workload.seed, new_model());
  Life life;
  while (life.actions.size() < calls) {
    Operation operation = generator.next();
    if (operation.kind == Kind::begin) life.actions.push_back(plain(Action::Kind::begin));
    if (operation.kind == Kind::commit) life.actions.push_back(plain(Action::Kind::commit, is_async));
    if (operation.kind == Kind::drop) life.actions.push_back(plain(Action::Kind::drop));
    const bool is_change = operation.kind < Kind::read && operation.kind != Kind::fill && operation.kind != Kind::thin;
    if (is_change) life.actions.push_back(call(std::move(operation), is_async));
    if (is_async && random.chance(20)) life.actions.push_back(plain(Action::Kind::sync));
  }
  workload.lives.push_back(std::move(life));
}

void make_group(Workload& workload, Random& random) {
  workload.lives.push_back(making(tree_of_all()));
  Life life;
  for (std::uint64_t groups = 1 + random.below(3); groups > 0; --groups) {
    Action action = plain(random.chance(50) ? Action::Kind::group_before : Action::Kind::group_after);
    for (std::uint64_t i = 0; i < 2 + random.below(3); ++i) {
      const std::string path = "g" + std::to_string(groups) + std::to_string(i);
      action.group.push_back(write_of(path, random.below(random.chance(80) ? 300 : 5000), random.below(1000),
                                      random.chance(70) ? Kind::write : Kind::append));
    }
    life.actions.push_back(std::move(action));
    if (random.chance(30)) life.actions.push_back(call(write_of("between", 10, 3), true));
  }
  workload.lives.push_back(std::move(life));
}

/// More than is buffered: in several contents, or in one that is not buffered at all.
void add_streamed(Life& life, Random& random, const std::string& name) {
  life.actions.push_back(plain(Action::Kind::begin));
  life.actions.push_back(call(write_of(name + "0", random.below(400), 1), false));
  if (random.chance(50)) {
    for (int i = 1; i <= 4; ++i) {
      life.actions.push_back(call(write_of(name + std::to_string(i), 300'000 + random.below(50'000), 2), false));
    }
  } else {
    const Kind kind = random.chance(50) ? Kind::write : Kind::append;
    life.actions.push_back(call(write_of(name + "1", 1'060'000 + random.below(90'000), 6, kind), false));
  }
  life.actions.push_back(plain(random.chance(50) ? Action::Kind::drop : Action::Kind::commit, random.chance(40)));
}

void make_streamed(Workload& workload, Random& random) {
  if (random.chance(70)) workload.segment_bytes = kLong;
  workload.lives.emplace_back();
  for (int lives = 0; lives < 2; ++lives) {
    Life life;
    const std::string name(1, static_cast<char>('p' + lives));
    if (lives == 0 || random.chance(30)) add_streamed(life, random, name);
    for (std::uint64_t i = 0; i < random.below(4); ++i) {
      life.actions.push_back(call(write_of(name + "s" + std::to_string(i), random.below(300), 3), random.chance(40)));
    }
    life.is_killed = random.chance(50);
    workload.lives.push_back(std::move(life));
  }
}

constexpr std::uint64_t kExpected = 17'000;  // so long that zeros are written before the next is put together

/// For commits of one length, of every sixth workload long ones.
std::uint64_t size_of_commits(std::uint64_t seed, Random& random) {
  if (seed % 6 == 0) return kExpected + random.below(50'000);
  return random.below(random.chance(80) ? 300 : 3000);
}

Life equal_commits(Random& random, const std::string& name, std::uint64_t size) {
  Life life;
  const std::uint64_t count = size < kExpected ? 1 + random.below(4) : 4;
  for (std::uint64_t i = 0; i < count; ++i) {
    life.actions.push_back(call(write_of(name + std::to_string(i), size, random.below(1000)), random.chance(60)));
    if (random.chance(10)) life.actions.push_back(plain(Action::Kind::sync));
  }
  life.is_killed = random.chance(60);
  if (life.is_killed && random.chance(60)) life.killed_at = 1 + random.below(20);
  return life;
}

void make_failed_sync(Workload& workload, Random& random) {
  workload.lives.push_back(making(tree_of_all()));
  const std::uint64_t size = size_of_commits(workload.seed, random);
  Life life = equal_commits(random, "x", size);
  for (int i = 0; i < 2; ++i)
    life.actions.push_back(call(call_of(random.below(kCalls), random.next()), random.chance(30)));
  life.actions.push_back(plain(Action::Kind::sync));
  life.failing_sync = 1 + random.below(workload.segment_bytes == kShort ? 12 : 4);
  workload.lives.push_back(std::move(life));
  workload.lives.push_back(equal_commits(random, "y", size));
}

void make_reopened(Workload& workload, Random& random) {
  workload.lives.push_back(making({write_of("first", 10, 2)}));
  const std::uint64_t size = size_of_commits(workload.seed, random);
  const std::uint64_t lives = 2 + random.below(2);
  for (std::uint64_t i = 0; i < lives; ++i) {
    workload.lives.push_back(equal_commits(random, std::string(1, static_cast<char>('r' + i)), size));
  }
}

}  // namespace

std::string_view name_of(WorkloadKind kind) {
  constexpr std::array<std::string_view, kWorkloadKinds.size()> kNames{
      "single calls", "pairs", "random", "groups", "streamed transactions", "syncs that fail", "reopened stores"};
  return kNames[static_cast<std::size_t>(kind)];
}

Workload make_workload(WorkloadKind kind, std::uint64_t seed) {
  Random random(seed);
  Workload workload{kind, seed, random.chance(33) ? kShort : std::uint64_t{1} << 20, {}};
  switch (kind) {
    case WorkloadKind::single:
      make_single(workload, random);
      break;
    case WorkloadKind::pair:
      make_pair(workload, random);
      break;
    case WorkloadKind::random:
      make_random(workload, random);
      break;
    case WorkloadKind::group:
      workload.segment_bytes = kLong;  // leaving one syncs it, and would wait for the group
      make_group(workload, random);
      break;
    case WorkloadKind::streamed:
      make_streamed(workload, random);
      break;
    case WorkloadKind::failed_sync:
      make_failed_sync(workload, random);
      break;
    case WorkloadKind::reopened:
      make_reopened(workload, random);
      break;
  }
  return workload;
}

Life twin_of(const Life& life, std::uint64_t seed) {
  Random random(seed);
  Life twin;
  twin.is_killed = true;
  for (Action action : life.actions) {
    if (action.kind != Action::Kind::call || action.operation.size > 100'000) continue;
    if (!action.operation.path.empty()) action.operation.path.back() = static_cast<char>('A' + twin.actions.size());
    action.is_async = random.chance(30);
    twin.actions.push_back(std::move(action));
    if (twin.actions.size() == 3) break;
  }
  if (twin.actions.empty()) twin.actions.push_back(call(write_of("twin", 20, 1), false));
  return twin;
}

std::string to_text(const Action& action) {
  constexpr std::array<std::string_view, 7> kNames{
      "", "begin", "commit", "drop", "sync", "written before the first sync:", "written after the first sync:"};
  std::string text(kNames[static_cast<std::size_t>(action.kind)]);
  if (action.kind == Action::Kind::call) text = stress::to_text(action.operation);
  for (const Operation& operation : action.group) text += "\n      " + stress::to_text(operation);
  return action.is_async ? text + " (async)" : text;
}

std::string to_text(const Workload& workload) {
  std::string text = std::string(name_of(workload.kind)) + ", seed " + std::to_string(workload.seed) +
                     ", segments of " + std::to_string(workload.segment_bytes) + " bytes:\n";
  for (const Life& life : workload.lives) {
    text += life.is_killed ? "  a process that is killed" : "  a process";
    text += life.killed_at != 0 ? " at its change " + std::to_string(life.killed_at) + ":\n" : ":\n";
    if (life.failing_sync != 0) text += "    sync " + std::to_string(life.failing_sync) + " fails\n";
    for (const Action& action : life.actions) text += "    " + to_text(action) + "\n";
  }
  return text;
}

}  // namespace packfs::testing
