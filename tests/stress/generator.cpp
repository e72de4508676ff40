#include "stress/generator.h"

#include <array>
#include <utility>

#include "stress/apply.h"

namespace packfs::stress {

namespace {

using Kind = Operation::Kind;

struct Weighted {
  Kind kind;
  unsigned weight;
};

constexpr std::array kWeights{Weighted{Kind::write, 90},
                              Weighted{Kind::write_owned, 15},
                              Weighted{Kind::append, 35},
                              Weighted{Kind::write_at, 35},
                              Weighted{Kind::truncate, 30},
                              Weighted{Kind::make_directory, 70},
                              Weighted{Kind::make_directories, 25},
                              Weighted{Kind::remove_directory, 25},
                              Weighted{Kind::unlink, 45},
                              Weighted{Kind::remove_tree, 10},
                              Weighted{Kind::rename, 90},
                              Weighted{Kind::clone, 40},
                              Weighted{Kind::link, 50},
                              Weighted{Kind::symlink, 50},
                              Weighted{Kind::make_special, 12},
                              Weighted{Kind::chmod, 20},
                              Weighted{Kind::chown, 15},
                              Weighted{Kind::set_mtime, 25},
                              Weighted{Kind::set_xattr, 30},
                              Weighted{Kind::remove_xattr, 12},
                              Weighted{Kind::set_attributes, 15},
                              Weighted{Kind::write_given, 25},
                              Weighted{Kind::make_directory_given, 12},
                              Weighted{Kind::symlink_given, 10},
                              Weighted{Kind::make_special_given, 6},
                              Weighted{Kind::read, 20},
                              Weighted{Kind::stat, 15},
                              Weighted{Kind::lstat, 10},
                              Weighted{Kind::readlink, 8},
                              Weighted{Kind::xattrs, 6},
                              Weighted{Kind::exists, 10},
                              Weighted{Kind::totals, 8},
                              Weighted{Kind::list, 15},
                              Weighted{Kind::begin, 25},
                              Weighted{Kind::commit, 22},
                              Weighted{Kind::drop, 10},
                              Weighted{Kind::write_beside, 4},
                              Weighted{Kind::hold, 25},
                              Weighted{Kind::release, 8},
                              Weighted{Kind::open_file, 20},
                              Weighted{Kind::close_file, 6},
                              Weighted{Kind::diff, 12}};

constexpr unsigned kLeaning = 5;  // how many times more often

constexpr std::size_t kMaxEntries = 400;  // before nothing is cloned any more, or sequences would grow exponentially

}  // namespace

Generator::Generator(std::uint64_t seed, Model start)
    : random_(seed),
      leaning_(static_cast<Leaning>(random_.below(9))),
      wide_(random_.below(100) == 0),
      model_(std::move(start)),
      committed_(model_) {}

Kind Generator::pick_kind() {
  const auto leans = [&](Kind kind) {
    switch (leaning_) {
      case Leaning::deep:
        return kind == Kind::make_directories;
      case Leaning::links:
        return kind == Kind::link || kind == Kind::unlink;
      case Leaning::symlinks:
        return kind == Kind::symlink;
      case Leaning::clones:
        return kind == Kind::clone;
      case Leaning::renames:
        return kind == Kind::rename;
      case Leaning::contents:
        return kind >= Kind::append && kind <= Kind::truncate;
      case Leaning::attributes:
        return kind >= Kind::chmod && kind <= Kind::make_special_given;
      case Leaning::transactions:
        return kind >= Kind::begin && kind <= Kind::drop;
      default:
        return false;
    }
  };
  unsigned total = 0;
  for (const auto& [kind, weight] : kWeights) total += leans(kind) ? kLeaning * weight : weight;
  auto at = random_.below(total);
  for (const auto& [kind, weight] : kWeights) {
    const unsigned share = leans(kind) ? kLeaning * weight : weight;
    if (at < share) return kind;
    at -= share;
  }
  return Kind::list;
}

Operation Generator::next() { return make(wide_ && random_.chance(6) ? Kind::fill : pick_kind()); }

Operation Generator::next_call() {
  while (true) {
    if (const Kind kind = pick_kind(); is_call(kind)) return make(kind);
  }
}

Operation Generator::make(Kind kind) {
  const bool is_full = model_.totals_of(model_.root()).entries > kMaxEntries;
  if (kind == Kind::clone && is_full) kind = Kind::remove_tree;
  Operation operation;
  operation.kind = kind;
  fill_in(operation);
  lead_along(operation);
  return operation;
}

void Generator::fill_in(Operation& operation) {
  operation.path = path();
  operation.slot = static_cast<std::uint32_t>(random_.below(Operation::kSlots));
  switch (operation.kind) {
    case Kind::rename:
    case Kind::clone:
    case Kind::link:
      if (random_.chance(80)) operation.path = existing_path(40);
      operation.other = random_.chance(operation.kind == Kind::rename ? 50 : 75) ? free_path() : path();
      if (operation.kind == Kind::rename && random_.chance(30)) {
        operation.option = 1 + static_cast<std::uint32_t>(random_.below(2));
      }
      break;
    case Kind::symlink:
    case Kind::symlink_given:
      if (random_.chance(80)) operation.path = free_path();
      operation.other = target();
      break;
    case Kind::make_directory:
    case Kind::make_directory_given:
    case Kind::make_directories:
      operation.mode = mode();
      if (random_.chance(70)) operation.path = free_path();
      if (operation.kind == Kind::make_directories) {
        const auto levels = random_.below(leaning_ == Leaning::deep ? 30 : 4);
        for (std::uint64_t i = 0; i < levels; ++i) operation.path += "/" + name();
      }
      break;
    case Kind::make_special:
    case Kind::make_special_given: {
      constexpr std::array kTypes{FileType::fifo, FileType::socket, FileType::character_device, FileType::block_device};
      operation.mode = mode();
      operation.option = static_cast<std::uint32_t>(random_.chance(93) ? random_.pick(kTypes) : FileType::regular);
      operation.uid = static_cast<std::uint32_t>(random_.below(300));
      operation.gid = static_cast<std::uint32_t>(random_.next());
      operation.offset = random_.next();
      break;
    }
    case Kind::list:
      if (random_.chance(60)) operation.path = existing_path(30);
      operation.other = random_.chance(50) ? name() : "";
      break;
    case Kind::diff:
      operation.option = static_cast<std::uint32_t>(random_.below(Operation::kSlots + 1));
      break;
    case Kind::open_file:
      operation.path = existing_path(10);
      break;
    default:
      fill_in_content(operation);
      fill_in_attributes(operation);
  }
  if (operation.kind >= Kind::set_attributes && operation.kind <= Kind::make_special_given) fill_in_given(operation);
}

void Generator::fill_in_given(Operation& operation) {
  operation.mode = mode();
  operation.uid = random_.chance(2) ? UINT32_MAX : static_cast<std::uint32_t>(random_.below(5));
  operation.gid = random_.chance(2) ? UINT32_MAX : static_cast<std::uint32_t>(random_.next() >> 33U);
  fill_in_mtime(operation);
  operation.seed = random_.below(1000);
}

void Generator::fill_in_mtime(Operation& operation) {
  operation.mtime.seconds = static_cast<std::int64_t>(random_.next()) >> random_.below(64);
  operation.mtime.nanoseconds = static_cast<std::uint32_t>(random_.below(random_.chance(95) ? 1000000000 : ~0U));
}

void Generator::fill_in_content(Operation& operation) {
  switch (operation.kind) {
    case Kind::write:
    case Kind::write_owned:
    case Kind::write_given:
    case Kind::append:
      if (random_.chance(40)) operation.path = free_path();
      if (random_.chance(15)) operation.option |= Operation::kExclusive;
      if (random_.chance(20)) {
        operation.option |= Operation::kMakeParents;
        if (random_.chance(50)) operation.path = free_path() + "/" + name() + "/" + name();
      }
      operation.mode = mode();
      operation.size = operation.kind == Kind::append ? random_.below(200) : content_size();
      break;
    case Kind::write_beside:
      operation.size = random_.below(50);
      break;
    case Kind::write_at:
      operation.size = random_.chance(10) ? 0 : content_size();
      operation.offset = random_.chance(5) ? ~std::uint64_t{0} - random_.below(9) : content_size();
      break;
    case Kind::truncate:
      operation.size = random_.chance(5) ? (std::uint64_t{1} << 63) + random_.below(9) : content_size();
      break;
    case Kind::read:
      operation.size = content_size();
      operation.offset = random_.chance(60) ? 0 : content_size();
      break;
    case Kind::fill:
    case Kind::thin:
      operation.path = existing_path(20);
      operation.other = random_.chance(50) ? "entry-with-a-long-common-prefix-of-the-name-" : "n";
      operation.size = random_.below(random_.chance(30) ? 3000 : 300);
      if (random_.chance(40)) operation.kind = Kind::thin;
      return;
    default:
      return;
  }
  operation.seed = random_.below(1000);
}

void Generator::fill_in_attributes(Operation& operation) {
  constexpr std::array kXattrNames{"user.a", "user.b", "system.posix_acl_access", "x", "\xff\x01"};
  switch (operation.kind) {
    case Kind::chmod:
      operation.mode = mode();
      break;
    case Kind::chown:
      operation.uid = random_.chance(30) ? UINT32_MAX : static_cast<std::uint32_t>(random_.below(5));
      operation.gid = random_.chance(30) ? UINT32_MAX : static_cast<std::uint32_t>(random_.next() >> 33U);
      operation.option = random_.chance(50) ? Operation::kFollowed : 0;
      break;
    case Kind::set_mtime:
      fill_in_mtime(operation);
      operation.option = random_.chance(50) ? Operation::kFollowed : 0;
      break;
    case Kind::set_xattr:
      operation.size = random_.chance(97) ? random_.below(60) : 65530 + random_.below(10);
      operation.option = random_.chance(70) ? 0 : static_cast<std::uint32_t>(random_.below(3));
      operation.seed = random_.below(1000);
      [[fallthrough]];
    case Kind::remove_xattr:
      operation.other = random_.chance(96) ? random_.pick(kXattrNames) : std::string(random_.below(2) * 256, 'n');
      break;
    default:
      break;
  }
}

void Generator::lead_along(const Operation& operation) {
  if (operation.kind == Kind::begin && !in_transaction_) {
    committed_ = model_;
    in_transaction_ = true;
  } else if (operation.kind == Kind::commit) {
    in_transaction_ = false;
  } else if (operation.kind == Kind::drop && in_transaction_) {
    model_ = committed_;
    in_transaction_ = false;
  } else if (operation.kind == Kind::write_beside && !in_transaction_) {
    Operation write = operation;
    write.kind = Kind::write;
    apply(write, model_);
  } else if (is_call(operation.kind) && operation.kind <= Kind::thin) {
    apply(operation, model_);
  }
}

std::vector<Operation> generate(std::uint64_t seed, const Model& start, std::size_t count) {
  Generator generator(seed, start);
  std::vector<Operation> operations;
  operations.reserve(count);
  while (operations.size() < count) operations.push_back(generator.next());
  return operations;
}

}  // namespace packfs::stress
