#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "stress/generator.h"
#include "stress/oracle.h"
#include "stress/settings.h"

using namespace packfs::stress;

TEST_CASE("an error in the model is found and shrunk to a few operations", "[stress][self_check]") {
  // The most operations that are needed to show it.
  const auto [fault, operations_needed] = GENERATE(table<Fault, std::size_t>({
      {Fault::rename_loses_what_it_moves, 4},
      {Fault::clone_shares_later_writes, 4},
      {Fault::append_writes_at_begin, 3},
      {Fault::growing_fills_with_ones, 3},
      {Fault::unlink_takes_all_names, 4},
      {Fault::chmod_forgets_sticky_bit, 3},
      {Fault::dangling_symlinks_exist_not, 3},
      {Fault::given_xattrs_join_those_there, 3},
  }));
  const Setting faulty = empty_setting(fault);
  const Closeness closeness;
  std::uint64_t seed = 1;
  std::vector<Operation> operations;
  for (; seed <= 500; ++seed) {
    operations = generate(seed, faulty.start, 100);
    if (run_sequence(faulty, operations, closeness)) break;
  }
  INFO("fault " << static_cast<int>(fault) << ", seed " << seed);
  REQUIRE(seed <= 500);
  CHECK_FALSE(run_sequence(empty_setting(), operations, closeness).has_value());

  const auto shrunk = shrink(faulty, operations, closeness);
  CHECK(shrunk.size() <= 3 * operations_needed);  // no smaller by one step, not the smallest there is
  CHECK(run_sequence(faulty, shrunk, {.whole_state_every = 1}).has_value());
  CHECK_FALSE(run_sequence(empty_setting(), shrunk, {.whole_state_every = 1}).has_value());
}

TEST_CASE("a report has the seed and operations that can be run again", "[stress][self_check]") {
  const Setting faulty = empty_setting(Fault::chmod_forgets_sticky_bit);
  std::optional<std::string> report;
  std::uint64_t seed = 0;
  while (!report && seed < 500) report = try_sequence(faulty, ++seed, 100);
  REQUIRE(report);
  CHECK(report->contains("sequence seed " + std::to_string(seed) + ","));
  const std::string lines = report->substr(report->find('\n', report->find("after shrinking")) + 1);
  const auto operations = operations_from_text(lines);
  CHECK(operations.size() <= 3);
  CHECK(operations.back().kind == Operation::Kind::chmod);
  CHECK(run_sequence(faulty, operations).has_value());
}
