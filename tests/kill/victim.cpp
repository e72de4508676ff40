// The program that is killed: victim write|open|read ARGUMENTS. What they are stands at each of the three.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kill/expectation.h"
#include "kill/ledger.h"
#include "kill/plan.h"
#include "packfs/volume.h"
#include "stress/apply.h"

using namespace packfs;
using namespace packfs::kill;

namespace {

Result<Volume> open_store(const std::string& path, std::uint64_t segment_bytes) {
  StoreOptions options;
  options.segment_bytes = segment_bytes;
  options.uid = kUid;
  options.gid = kGid;
  return Volume::open(path, options);
}

/// One thread's steps.
class Writer {
 public:
  Writer(Ledger& ledger, const Volume& volume, std::uint64_t round, std::uint64_t seed, std::size_t thread)
      : ledger_(ledger), volume_(volume), round_(round), seed_(seed), thread_(thread) {}

  void run(std::size_t steps) {
    for (std::size_t index = 0; index < steps; ++index) step(index);
  }

 private:
  void step(std::size_t index) {
    const Step step = step_of(seed_, thread_, index);
    ledger_.append({Line::Kind::begun, {thread_, index}});
    Outcomes outcomes;
    bool committed = false;
    std::uint64_t commit = 0;
    switch (step.kind) {
      case Step::Kind::call:
        committed = call(step, outcomes);
        break;
      case Step::Kind::sync:
        if (const auto synced = volume_.sync(); !synced) give_up(synced.error());
        break;
      default:
        commit = transaction(step, index, outcomes);
        committed = commit != 0;
    }
    ledger_.append({Line::Kind::ended, {thread_, index, outcomes.value(), committed, commit}});
  }

  static Durability durability(const Step& step) { return step.is_async ? Durability::async : Durability::sync; }

  bool call(const Step& step, Outcomes& outcomes) {
    Volume volume = volume_.with(durability(step));
    const auto outcome = stress::apply(in_directory(step.operations.front(), thread_), volume);
    outcomes.add(outcome);
    return !outcome.error;
  }

  std::uint64_t transaction(const Step& step, std::size_t index, Outcomes& outcomes) {
    auto begun = volume_.begin();
    if (!begun) give_up(begun.error());
    for (const auto& operation : step.operations) {
      outcomes.add(stress::apply(in_directory(operation, thread_), *begun));
    }
    if (step.kind == Step::Kind::dropped_transaction) return 0;
    const std::string line = order_line(round_, thread_, index);
    if (const auto told = begun->append(kOrder, std::as_bytes(std::span(line))); !told) give_up(told.error());
    const auto commit = begun->commit(durability(step));
    if (!commit) give_up(commit.error());
    return *commit;
  }

  [[noreturn]] void give_up(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    ledger_.append({Line::Kind::wrong, {}});
    ::_exit(2);
  }

  Ledger& ledger_;
  Volume volume_;
  std::uint64_t round_;
  std::uint64_t seed_;
  std::size_t thread_;
};

/// STORE LEDGER ROUND SEED THREADS SEGMENT_BYTES STEPS: opens the store and does what the plan says, until it is killed
/// or done.
int write_store(char** arguments) {
  const std::string path = arguments[0];
  Ledger ledger(arguments[1]);
  std::vector<std::uint64_t> numbers;
  for (char** at = arguments + 2; *at != nullptr; ++at) numbers.push_back(std::strtoull(*at, nullptr, 10));
  const std::uint64_t round = numbers.at(0);
  const std::uint64_t seed = numbers.at(1);
  const std::size_t count = numbers.at(2);
  ledger.append({Line::Kind::writer, {round, seed, count}});
  auto volume = open_store(path, numbers.at(3));
  if (!volume) {
    std::fprintf(stderr, "%s\n", volume.error().message().c_str());
    ledger.append({Line::Kind::wrong, {}});
    return 2;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto made = volume->make_directories(directory_of(i)); !made) return 2;
  }
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] { Writer(ledger, *volume, round, seed, i).run(numbers.at(4)); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

/// STORE: opens it, which may copy what was not durable, and closes it.
int open_and_close(char** arguments) { return open_store(arguments[0], 1 << 20) ? 0 : 2; }

/// STORE LEDGER: follows the store until standard input ends. Each time it must show a state between what was durable
/// before and what was begun after. Prints how often it looked; what was wrong, and fails.
int read_store(char** arguments) {
  StoreOptions options;
  options.read_only = true;
  auto volume = Volume::open(arguments[0], options);
  if (!volume) {
    std::printf("does not open: %s\n", volume.error().message().c_str());
    return 2;
  }
  Ledger ledger(arguments[1]);
  Expectation expectation;
  for (std::uint64_t looks = 1;; ++looks) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const bool is_last = ::poll(&input, 1, 0) != 0;
    for (const Line& line : ledger.read()) expectation.take(line);
    expectation.settle();
    const auto refreshed = volume->refresh();
    const Snapshot seen = volume->snapshot();
    std::string wrong = refreshed ? "?" : "refresh: " + refreshed.error().message();
    for (const Line& line : ledger.read()) {
      // One writer's end, which it may have seen, and the next one's begin.
      if (refreshed && line.kind == Line::Kind::found && !wrong.empty()) wrong = expectation.check(seen);
      expectation.take(line);
    }
    if (refreshed && !wrong.empty()) wrong = expectation.check(seen);
    if (!wrong.empty()) {
      std::printf("look %llu: %s\n", static_cast<unsigned long long>(looks), wrong.c_str());
      return 3;
    }
    if (!is_last) continue;
    std::printf("%llu\n", static_cast<unsigned long long>(looks));
    return 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 2 ? argv[1] : "";
  if (role == "write") return write_store(argv + 2);
  if (role == "open") return open_and_close(argv + 2);
  if (role == "read") return read_store(argv + 2);
  std::fputs("victim write|open|read STORE ...\n", stderr);
  return 64;
}
