#include "kill/plan.h"

#include <array>
#include <utility>

#include "stress/random.h"

namespace packfs::kill {
namespace {

using stress::Operation;
using stress::Random;
using Kind = Operation::Kind;

constexpr std::array<const char*, 6> kFiles{"a", "b", "c", "f", "g", "h"};
constexpr std::array<const char*, 2> kDirectories{"d", "e"};

struct Weighted {
  Kind kind;
  unsigned weight;
};
constexpr std::array kWeights{
    Weighted{Kind::write, 25},
    Weighted{Kind::write_owned, 5},
    Weighted{Kind::append, 15},
    Weighted{Kind::write_at, 8},
    Weighted{Kind::truncate, 6},
    Weighted{Kind::make_directory, 6},
    Weighted{Kind::make_directories, 3},
    Weighted{Kind::unlink, 8},
    Weighted{Kind::remove_directory, 2},
    Weighted{Kind::remove_tree, 4},
    Weighted{Kind::rename, 12},
    Weighted{Kind::clone, 8},
    Weighted{Kind::link, 5},
    Weighted{Kind::symlink, 5},
    Weighted{Kind::make_special, 2},
    Weighted{Kind::chmod, 3},
    Weighted{Kind::chown, 2},
    Weighted{Kind::set_mtime, 3},
    Weighted{Kind::set_xattr, 4},
    Weighted{Kind::remove_xattr, 2},
};

Kind pick_kind(Random& random) {
  unsigned total = 0;
  for (const auto& [kind, weight] : kWeights) total += weight;
  auto at = random.below(total);
  for (const auto& [kind, weight] : kWeights) {
    if (at < weight) return kind;
    at -= weight;
  }
  return Kind::write;
}

std::string file_path(Random& random) {
  const std::string name = random.pick(kFiles);
  return random.chance(70) ? name : std::string(random.pick(kDirectories)) + "/" + name;
}

std::uint64_t content_size(Random& random) {
  const auto kind = random.below(100);
  if (kind < 60) return random.below(300);
  if (kind < 90) return random.below(5000);
  return kind < 98 ? random.below(70'000) : random.below(300'000);
}

/// Directories hold files alone, so that clones of clones do not grow without end.
void fill_in_pair(Operation& operation, Random& random) {
  if (operation.kind == Kind::link || random.chance(60)) {
    operation.other = file_path(random);
    return;
  }
  operation.path = random.pick(kDirectories);
  operation.other = random.pick(kDirectories);
}

void fill_in(Operation& operation, Random& random) {
  operation.seed = random.below(1'000'000'000);
  operation.mode = 0600 + static_cast<std::uint32_t>(random.below(64));
  switch (operation.kind) {
    case Kind::append:
      operation.size = random.below(600);
      break;
    case Kind::write_at:
      operation.offset = content_size(random);
      [[fallthrough]];
    case Kind::write:
    case Kind::write_owned:
    case Kind::truncate:
      operation.size = content_size(random);
      break;
    case Kind::make_directory:
    case Kind::make_directories:
    case Kind::remove_directory:
    case Kind::remove_tree:
      operation.path = random.pick(kDirectories);
      break;
    case Kind::rename:
      operation.option = static_cast<std::uint32_t>(random.below(3));
      fill_in_pair(operation, random);
      break;
    case Kind::clone:
    case Kind::link:
      fill_in_pair(operation, random);
      break;
    case Kind::symlink:
      operation.other = random.pick(kFiles);
      break;
    case Kind::make_special:
      operation.option = static_cast<std::uint32_t>(FileType::fifo);
      break;
    case Kind::chown:
      operation.uid = static_cast<std::uint32_t>(random.below(5));
      operation.gid = static_cast<std::uint32_t>(random.below(5));
      break;
    case Kind::set_mtime:
      operation.mtime = {static_cast<std::int64_t>(random.below(2'000'000'000)), 5};
      break;
    case Kind::set_xattr:
      operation.size = random.below(60);
      [[fallthrough]];
    case Kind::remove_xattr:
      operation.other = random.chance(50) ? "user.a" : "user.b";
      break;
    default:
      break;
  }
}

Operation any_operation(Random& random) {
  Operation operation;
  operation.kind = pick_kind(random);
  operation.path = file_path(random);
  fill_in(operation, random);
  return operation;
}

Operation large_write(Random& random, std::uint64_t size) {
  Operation operation;
  operation.kind = Kind::write;
  operation.path = random.pick(kFiles);
  operation.mode = 0640;
  operation.size = size;
  operation.seed = 4 * random.below(1'000'000) + 2;  // of one letter: cheap to make
  return operation;
}

/// More than a journal buffers: in many contents, or in one that is not buffered at all.
void add_large(std::vector<Operation>& operations, Random& random) {
  if (random.chance(50)) {
    operations.push_back(large_write(random, 1'100'000 + random.below(400'000)));
  } else {
    for (int i = 0; i < 5; ++i) operations.push_back(large_write(random, 250'000 + random.below(50'000)));
  }
}

}  // namespace

Step step_of(std::uint64_t seed, std::size_t thread, std::size_t index) {
  Random random(Random(seed + thread).next() + index);
  Step step;
  step.is_async = random.chance(40);
  const auto what = random.below(100);
  if (what < 5) {
    step.kind = Step::Kind::sync;
  } else if (what < 40) {
    step.kind = what < 10 ? Step::Kind::dropped_transaction : Step::Kind::transaction;
    const auto count = 1 + random.below(6);
    for (std::uint64_t i = 0; i < count; ++i) step.operations.push_back(any_operation(random));
    if (random.chance(8)) add_large(step.operations, random);
  } else {
    step.operations.push_back(random.chance(1) ? large_write(random, 1'200'000) : any_operation(random));
  }
  return step;
}

std::string directory_of(std::size_t thread) { return "t" + std::to_string(thread); }

Operation in_directory(Operation operation, std::size_t thread) {
  const std::string prefix = directory_of(thread) + "/";
  operation.path = prefix + operation.path;
  switch (operation.kind) {
    case Kind::rename:
    case Kind::clone:
    case Kind::link:
      operation.other = prefix + operation.other;
      break;
    default:
      break;
  }
  return operation;
}

std::string order_line(std::uint64_t round, std::size_t thread, std::size_t index) {
  return std::to_string(round) + " " + std::to_string(thread) + " " + std::to_string(index) + "\n";
}

}  // namespace packfs::kill
