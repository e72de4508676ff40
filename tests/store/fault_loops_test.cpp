#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "store/fault_loops.h"
#include "store/stores.h"
#include "stress/apply.h"
#include "stress/each_call.h"
#include "stress/sanitized.h"

using namespace packfs;
using namespace packfs::testing;
using stress::Model;
using stress::Operation;

namespace {

constexpr std::uint64_t kLong = std::uint64_t{1} << 20;
constexpr std::uint64_t kShort = 64;

/// What is done while a call fails, and what comes of it.
struct Deed {
  std::string name;
  std::uint64_t segment_bytes = kLong;
  std::vector<Operation> operations;
  enum class As : std::uint8_t { calls, async, transaction } as = As::calls;
};

Model model_of(const std::vector<Operation>& operations, Model model = Model(1007, 1008)) {
  for (const Operation& operation : operations) {
    const auto outcome = apply(operation, model);
    INFO(to_text(operation) << " gives " << outcome.to_text());
    REQUIRE_FALSE(outcome.error);
  }
  return model;
}

Result<void> apply_all(const std::vector<Operation>& operations, Writable& to, std::size_t& done) {
  for (const Operation& operation : operations) {
    if (auto applied = stress::change(operation, to); !applied) return applied;
    ++done;
  }
  return {};
}

/// `done` becomes the number of operations that were committed.
Result<void> do_deed(const Deed& deed, Volume& volume, std::size_t& done) {
  if (deed.as == Deed::As::calls) return apply_all(deed.operations, volume, done);
  if (deed.as == Deed::As::async) {
    Volume later = volume.with(Durability::async);
    if (auto applied = apply_all(deed.operations, later, done); !applied) return applied;
    return volume.sync();
  }
  auto transaction = volume.begin();
  if (!transaction) return std::unexpected(transaction.error());
  std::size_t added = 0;
  if (auto applied = apply_all(deed.operations, *transaction, added); !applied) return applied;
  const auto committed = transaction->commit();
  if (!committed) return std::unexpected(committed.error());
  done = added;
  return {};
}

/// A disk with a store that holds the tree of all calls, closed in order.
std::unique_ptr<CrashDisk> disk_with_tree() {
  CrashDisk disk;
  auto volume = open_on(disk, kLong);
  REQUIRE(volume);
  const Deed deed{.name = "making", .operations = stress::tree_of_all(), .as = Deed::As::transaction};
  std::size_t done = 0;
  must(do_deed(deed, *volume, done));
  volume = std::unexpected(Error(ErrorCode::stale));
  return disk.crash_image(1, Damage::all_kept);
}

class Faulty {
 public:
  Faulty() : original_(disk_with_tree()), before_(model_of(stress::tree_of_all())) {}

  /// Each call of the deed fails in each way.
  void try_all(const Deed& deed) {
    std::vector<Model> states{before_};
    for (const Operation& operation : deed.operations) states.push_back(model_of({operation}, states.back()));
    for (const IoFault& fault : io_faults()) {
      for (std::uint64_t n = 1;; ++n) {
        INFO(deed.name << ", call " << n << ": " << fault.text());
        ++tried_;
        if (!survives(deed, states, fault, n)) break;
      }
    }
  }
  [[nodiscard]] std::uint64_t tried() const { return tried_; }

 private:
  /// `states` are those after each operation. False when the fault did not strike: the deed has fewer calls.
  bool survives(const Deed& deed, const std::vector<Model>& states, const IoFault& fault, std::uint64_t n) {
    const auto disk = original_->crash_image(1, Damage::all_kept);
    FaultIo io(*disk);
    std::size_t done = 0;
    bool struck = false;
    std::optional<Model> known;
    {
      auto volume = open_on(io, deed.segment_bytes);
      REQUIRE(volume);
      const Snapshot held = volume->snapshot();
      io.clear_log();
      arm(io, fault, n);
      const auto result = do_deed(deed, *volume, done);
      struck = io.struck();
      CHECK(difference(*volume, states[done]) == "");
      CHECK(held.lstat("a/f"));
      if (!result) {
        CHECK(struck);
        CHECK(unclear(result.error(), fault) == "");
      }
      if (goes_on(*volume, io, fault, result)) {
        known = states[done];
        REQUIRE(known->write("next", "room again", {}));
        CHECK(difference(*volume, *known) == "");
      }
    }
    if (known) {
      CHECK(difference_reopened(*disk, *known) == "");
    } else {
      CHECK(unknown_outcome(*disk, deed, states, done) == "");
    }
    return struck;
  }

  /// Want of room or of descriptors harms nothing; all else but what is not needed ends the writing, and says why.
  static bool goes_on(Volume& volume, FaultIo& io, const IoFault& fault, const Result<void>& result) {
    const bool may_poison = !result && (!fault.is_want() || struck_for_good(io));
    io.heal();
    const auto written = volume.write("next", bytes_of("room again"));
    if (written) return true;
    INFO(written.error().message());
    CHECK(may_poison);
    CHECK(written.error().code() == ErrorCode::poisoned);
    CHECK(unclear(written.error(), fault) == "");
    return false;
  }

  /// Of what was not durable when the store was poisoned some, in its order.
  static std::string unknown_outcome(CrashDisk& disk, const Deed& deed, const std::vector<Model>& states,
                                     std::size_t done) {
    const std::size_t first = deed.as == Deed::As::calls ? done : 0;
    const std::size_t last = deed.as == Deed::As::transaction ? states.size() - 1 : done + 1;
    std::string differs;
    for (std::size_t i = first; i <= std::min(last, states.size() - 1); ++i) {
      if (deed.as == Deed::As::transaction && i != first && i != last) continue;
      const auto differs_from_it = difference_reopened(disk, states[i]);
      if (differs_from_it.empty()) return "";
      differs += differs_from_it + "; ";
    }
    return differs;
  }

  std::unique_ptr<CrashDisk> original_;
  Model before_;
  std::uint64_t tried_ = 0;
};

Operation large(std::string path, std::uint64_t size, Operation::Kind kind = Operation::Kind::write) {
  Operation operation;
  operation.kind = kind;
  operation.path = std::move(path);
  operation.size = size;
  operation.seed = 2;
  operation.mode = 0644;
  return operation;
}

std::vector<Operation> streamed() {
  std::vector<Operation> operations;
  operations.reserve(5);
  for (int i = 0; i < 5; ++i) operations.push_back(large("s" + std::to_string(i), 300'000));
  return operations;
}

}  // namespace

TEST_CASE("whichever I/O call of whichever operation fails, nothing else is lost", "[store][faults]") {
  Faulty faulty;
  for (std::size_t i = 0; i < stress::kCalls; i += stress::kIsSanitized ? 5 : 1) {
    const std::vector<Operation> call{stress::call_of(i, 5)};
    faulty.try_all({.name = "a call, " + to_text(call[0]), .operations = call});
    faulty.try_all({.name = "async, " + to_text(call[0]), .operations = call, .as = Deed::As::async});
    faulty.try_all({.name = "in a new segment, " + to_text(call[0]), .segment_bytes = kShort, .operations = call});
  }
  WARN(faulty.tried() << " failures");
}

TEST_CASE("whichever I/O call of a transaction fails, nothing else is lost", "[store][faults]") {
  Faulty faulty;
  const std::vector<Operation> some{stress::call_of(0, 1), stress::call_of(3, 1), stress::call_of(11, 1)};
  using As = Deed::As;
  faulty.try_all({.name = "a transaction", .operations = some, .as = As::transaction});
  faulty.try_all({.name = "in a new segment", .segment_bytes = kShort, .operations = some, .as = As::transaction});
  faulty.try_all({.name = "several calls in segments", .segment_bytes = kShort, .operations = some, .as = As::calls});
  if (stress::kIsSanitized) return;
  faulty.try_all({.name = "a streamed one", .operations = streamed(), .as = As::transaction});
  faulty.try_all({.name = "one large content", .operations = {large("large", 1'100'000)}, .as = As::calls});
  faulty.try_all({.name = "a large one among others",
                  .segment_bytes = kShort,
                  .operations = {some[0], large("large", 1'100'000, Operation::Kind::append), some[1]},
                  .as = As::transaction});
  WARN(faulty.tried() << " failures");
}
