#include <algorithm>
#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stress/apply.h"
#include "stress/generator.h"
#include "stress/sanitized.h"
#include "stress/settings.h"
#include "stress/state_text.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::stress;

namespace {

constexpr std::size_t kReaders = 2;
constexpr std::size_t kTurns = kIsSanitized ? 150 : 1500;  // of each writer
const std::string kCounter = "counter";                    // grows by a byte in each turn; no generated name is that

/// One transaction as its writer saw it.
struct Turn {
  std::uint64_t ticket = 0;  // taken while it was the only one: the true order
  std::uint64_t commit = 0;
  std::vector<std::pair<Operation, Outcome>> calls;
  bool is_seen_at_once = false;  // by its own thread, after it returned
};

/// What one snapshot showed.
struct Sight {
  std::uint64_t commit = 0;
  std::string text;
};

struct Reader {
  std::vector<Sight> sights;
  std::size_t steps_back = 0;  // older states seen after newer ones
  std::size_t errors = 0;
};

Operation count_up() {
  Operation operation;
  operation.kind = Operation::Kind::append;
  operation.path = kCounter;
  operation.size = 1;
  operation.mode = 0644;
  return operation;
}

std::uint64_t counter(const Volume& volume) {
  const auto stat = volume.stat(kCounter);
  return stat ? stat->size : 0;
}

void write_turns(Volume volume, std::uint64_t seed, std::atomic<std::uint64_t>& tickets, std::vector<Turn>& turns) {
  Random random(seed);
  Generator generator(seed, Model(kOwner, kGroup));
  for (std::size_t i = 0; i < kTurns; ++i) {
    auto transaction = volume.begin();
    if (!transaction) return;  // too few turns are noticed
    Turn turn{
        .ticket = tickets.load(std::memory_order_relaxed) + 1, .commit = 0, .calls = {}, .is_seen_at_once = false};
    const bool is_kept = !random.chance(10);
    const std::uint64_t counted = counter(volume) + 1;
    turn.calls.emplace_back(count_up(), Outcome());
    for (auto more = random.below(5); more > 0; --more) turn.calls.emplace_back(generator.next_call(), Outcome());
    for (auto& [operation, outcome] : turn.calls) outcome = apply(operation, *transaction);
    if (!is_kept) continue;
    tickets.store(turn.ticket, std::memory_order_relaxed);
    turn.commit = transaction->commit().value_or(0);
    turn.is_seen_at_once = counter(volume) >= counted && volume.snapshot().commit() >= turn.commit;
    turns.push_back(std::move(turn));
  }
}

/// Snapshots until the writers are done: each new state that is met is kept. And between them reads of the volume
/// itself, by which nobody may go back in time.
void read_states(const Volume& volume, const std::atomic<bool>& done, Reader& reader) {
  std::uint64_t commit = 0;
  std::uint64_t size = 0;
  const auto meet = [](std::uint64_t now, std::uint64_t& last, std::size_t& steps_back) {
    if (now < last) ++steps_back;
    last = now;
  };
  for (bool is_last = false; !is_last;) {
    is_last = done.load(std::memory_order_acquire);
    const Snapshot snapshot = volume.snapshot();
    meet(snapshot.commit(), commit, reader.steps_back);
    meet(counter(volume), size, reader.steps_back);
    std::string buffer(size + 1, '?');
    if (size > 0) {
      const auto read = volume.read(kCounter, std::as_writable_bytes(std::span(buffer)));
      if (read && *read < size) ++reader.steps_back;
      if (!read) ++reader.errors;
    }
    if (!reader.sights.empty() && reader.sights.back().commit == snapshot.commit()) continue;
    reader.sights.push_back({snapshot.commit(), state_text(snapshot)});
  }
}

/// Replays what was committed; returns the text of each commit's state. Outcomes that differ are put into `wrong`.
std::map<std::uint64_t, std::string> replay(const Setting& setting, std::vector<Turn> turns,
                                            std::vector<std::string>& wrong) {
  Model model = setting.start;
  std::map<std::uint64_t, std::string> states{{0, state_text(model)}};
  std::ranges::sort(turns, {}, &Turn::ticket);
  std::uint64_t last = 0;
  for (const Turn& turn : turns) {
    if (turn.commit <= last)
      wrong.push_back("commit " + std::to_string(turn.commit) + " after " + std::to_string(last));
    if (!turn.is_seen_at_once) wrong.push_back("commit " + std::to_string(turn.commit) + " is not seen by its writer");
    last = turn.commit;
    for (const auto& [operation, outcome] : turn.calls) {
      const Outcome expected = apply(operation, model);
      if (!agrees(outcome, expected)) {
        wrong.push_back(to_text(operation) + "\n gave " + outcome.to_text() + ", not " + expected.to_text());
      }
    }
    states[turn.commit] = state_text(model);
  }
  return states;
}

/// `writers` write while others read; returns what was wrong, nothing at best.
std::vector<std::string> run_threads(const Setting& setting, std::size_t writers, std::uint64_t seed) {
  const Volume volume = setting.make();
  std::vector<std::vector<Turn>> written(writers);
  std::vector<Reader> readers(kReaders);
  std::atomic<std::uint64_t> tickets{0};
  std::atomic<bool> done{false};
  std::barrier start(static_cast<std::ptrdiff_t>(writers + kReaders));
  std::vector<std::thread> writing;
  std::vector<std::thread> reading;
  writing.reserve(writers);
  reading.reserve(kReaders);
  for (std::size_t i = 0; i < writers; ++i) {
    writing.emplace_back([&, i] {
      start.arrive_and_wait();
      write_turns(volume, seed + i, tickets, written[i]);
    });
  }
  for (Reader& reader : readers) {
    reading.emplace_back([&] {
      start.arrive_and_wait();
      read_states(volume, done, reader);
    });
  }
  for (std::thread& thread : writing) thread.join();
  done.store(true, std::memory_order_release);
  for (std::thread& thread : reading) thread.join();

  std::vector<std::string> wrong;
  std::vector<Turn> turns;
  for (auto& log : written) std::ranges::move(log, std::back_inserter(turns));
  if (turns.size() < writers * kTurns / 2) wrong.push_back("only " + std::to_string(turns.size()) + " commits");
  const auto states = replay(setting, std::move(turns), wrong);
  for (const Reader& reader : readers) {
    if (reader.steps_back != 0) wrong.push_back(std::to_string(reader.steps_back) + " steps back in time");
    if (reader.errors != 0) wrong.push_back(std::to_string(reader.errors) + " failed reads");
    if (reader.sights.back().commit != states.rbegin()->first) wrong.emplace_back("the last commit was not seen");
    for (const Sight& sight : reader.sights) {
      const auto state = states.find(sight.commit);
      if (state != states.end() && state->second == sight.text) continue;
      wrong.push_back("commit " + std::to_string(sight.commit) + " showed\n" + sight.text + "not\n" +
                      (state == states.end() ? "(no such commit)" : state->second));
    }
  }
  return wrong;
}

std::string first_of(const std::vector<std::string>& wrong) { return wrong.empty() ? "" : wrong.front(); }

}  // namespace

TEST_CASE("what readers see beside one writer is the state of some commit, and never goes back", "[stress][threads]") {
  CHECK(first_of(run_threads(empty_setting(), 1, testing::test_seed())) == "");
}

TEST_CASE("what readers see beside several writers is the state of some commit, and never goes back",
          "[stress][threads]") {
  CHECK(first_of(run_threads(empty_setting(), 3, testing::test_seed())) == "");
}

TEST_CASE("readers and writers of a volume over a pack agree with the model", "[stress][threads]") {
  const testing::TempDir directory;
  CHECK(first_of(run_threads(pack_settings(directory).front(), 2, testing::test_seed())) == "");
}

TEST_CASE("a wrong model of what threads did is noticed", "[stress][threads]") {
  // In one run the readers may have looked only when nothing was wrong yet.
  std::string noticed;
  for (int run = 0; run < 200 && noticed.empty(); ++run) {
    noticed = first_of(run_threads(empty_setting(Fault::append_writes_at_begin), 1, 1));
  }
  CHECK(noticed != "");
}
