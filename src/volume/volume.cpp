#include "packfs/volume.h"

#include <new>
#include <system_error>
#include <utility>

#include "base/rcu.h"
#include "tree/open_file.h"
#include "tree/resolve.h"
#include "volume/core.h"
#include "volume/open_turn.h"

namespace packfs {

using tree::LastSymlink;
using volume::Core;
using volume::OpenTurn;
using volume::Root;
using volume::TurnGate;

namespace {

/// Copied within a read section up to here; more is copied from a File, so that no section lasts long.
constexpr std::size_t kMostCopiedInSection = std::size_t{64} << 10;

Result<Volume> made(Result<std::shared_ptr<Core>> core, Volume (*wrap)(std::shared_ptr<Core>)) {
  if (!core) return std::unexpected(std::move(core.error()));
  return wrap(std::move(*core));
}

Result<std::shared_ptr<Core>> make_core(Ref<const tree::Table> lower, const VolumeOptions& options) {
  try {
    return Core::make(std::move(lower), options, Core::first_stamp(options));
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  } catch (const std::system_error&) {
    return std::unexpected(Error::from_errno(EAGAIN).with_note("no thread can be started"));
  }
}

/// What a path leads to in the newest state, given to `call` within a read section.
template <class Call>
auto in_section(const volume::Domain& domain, std::string_view path, LastSymlink last, Call call)
    -> decltype(call(std::declval<const Root&>(), std::declval<const Node&>())) {
  const base::rcu::ReadSection section;
  const Root& root = *domain.peek();
  const auto node = tree::resolve(root, *root.root(), nullptr, path, last);
  if (!node) return std::unexpected(node.error());
  return call(root, *node);
}

}  // namespace

Volume::Volume(std::shared_ptr<Core> core) noexcept : core_(std::move(core)) {}
Volume::Volume(const Volume&) noexcept = default;
Volume::Volume(Volume&&) noexcept = default;
Volume& Volume::operator=(const Volume&) noexcept = default;
Volume& Volume::operator=(Volume&&) noexcept = default;
Volume::~Volume() = default;

Result<Volume> Volume::memory(const VolumeOptions& options) {
  return made(make_core({}, options), [](std::shared_ptr<Core> core) { return Volume(std::move(core)); });
}

Result<Volume> Volume::memory(const Pack& base, const VolumeOptions& options) {
  return made(make_core(base.root().table(), options),
              [](std::shared_ptr<Core> core) { return Volume(std::move(core)); });
}

Snapshot Volume::snapshot() const noexcept {
  Ref<const Root> root = core_->domain().acquire();
  const std::uint64_t commit = root->commit();
  const Node node = *root->root();
  return {View(root, node, {}), commit};
}

Result<void> Volume::run(const tree::Operation& operation) { return core_->apply(operation, durability_); }
Result<View> Volume::view() const { return snapshot(); }
Result<View> Volume::lasting_view() const { return snapshot(); }

// What lies in memory alone is read within a read section, which costs no count that readers would share; over a lower
// there may be I/O, which must not be.

Result<std::size_t> Volume::read(std::string_view path, std::span<std::byte> buffer, std::uint64_t offset) const {
  if (core_->lower() || core_->pipeline() != nullptr || buffer.size() > kMostCopiedInSection) {
    return Writable::read(path, buffer, offset);
  }
  return in_section(core_->domain(), path, LastSymlink::followed,
                    [&](const Root& root, const Node& node) -> Result<std::size_t> {
                      if (auto regular = tree::require_regular(node); !regular) {
                        return std::unexpected(std::move(regular.error()));
                      }
                      return root.read(node, offset, buffer);
                    });
}

Result<Stat> Volume::stat(std::string_view path) const {
  if (core_->lower()) return Writable::stat(path);
  return in_section(core_->domain(), path, LastSymlink::followed,
                    [](const Root& root, const Node& node) { return root.stat(node); });
}

Result<Stat> Volume::lstat(std::string_view path) const {
  if (core_->lower()) return Writable::lstat(path);
  return in_section(core_->domain(), path, LastSymlink::kept,
                    [](const Root& root, const Node& node) { return root.stat(node); });
}

namespace {

/// The transaction of one whom `enter` lets through the gate.
template <class Enter>
Result<std::unique_ptr<OpenTurn>> opened(const std::shared_ptr<Core>& core, Enter enter) {
  if (auto may = core->may_write(); !may) return std::unexpected(std::move(may.error()));
  if (auto entered = enter(core->turn()); !entered) return std::unexpected(std::move(entered.error()));
  try {
    return std::make_unique<OpenTurn>(core);
  } catch (const std::bad_alloc&) {
    core->turn().leave();
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace

Result<Transaction> Volume::begin() {
  auto turn = opened(core_, [](TurnGate& gate) { return gate.enter(); });
  if (!turn) return std::unexpected(std::move(turn.error()));
  return Transaction(std::move(*turn));
}

Result<Transaction> Volume::try_begin() {
  auto turn = opened(core_, [](TurnGate& gate) { return gate.try_enter(); });
  if (!turn) return std::unexpected(std::move(turn.error()));
  return Transaction(std::move(*turn));
}

Result<Transaction> Volume::begin_for(std::chrono::nanoseconds timeout) {
  auto turn = opened(core_, [&](TurnGate& gate) { return gate.enter_within(timeout); });
  if (!turn) return std::unexpected(std::move(turn.error()));
  return Transaction(std::move(*turn));
}

Volume Volume::with(Durability durability) const noexcept {
  Volume other(*this);
  other.durability_ = durability;
  return other;
}

Result<void> Volume::sync() {
  if (core_->pipeline() == nullptr) return {};
  return core_->pipeline()->sync();
}

Result<bool> Volume::refresh() { return core_->refresh(); }

void Volume::quiesce() { core_->reclaimer().drain(); }

VolumeCounters Volume::counters() const {
  const std::lock_guard lock(core_->domain().counts());
  return core_->domain().counters();
}

std::optional<OldestSnapshot> Volume::oldest_snapshot() const {
  const std::lock_guard lock(core_->domain().counts());
  return core_->domain().oldest_snapshot();
}

Transaction::Transaction(std::unique_ptr<OpenTurn> turn) noexcept : turn_(std::move(turn)) {}
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&&) noexcept = default;
Transaction::~Transaction() = default;

Result<std::uint64_t> Transaction::commit(Durability durability) {
  if (turn_ == nullptr) return std::unexpected(Error(ErrorCode::invalid));
  auto number = turn_->commit(durability);
  if (number || turn_->has_ended()) turn_.reset();
  return number;
}

void Transaction::drop() noexcept { turn_.reset(); }

Result<void> Transaction::run(const tree::Operation& operation) {
  if (turn_ == nullptr) return std::unexpected(Error(ErrorCode::invalid));
  return turn_->run(operation);
}

Result<View> Transaction::view() const {
  if (turn_ == nullptr) return std::unexpected(Error(ErrorCode::invalid));
  return turn_->view();
}

Result<View> Transaction::lasting_view() const {
  if (turn_ == nullptr) return std::unexpected(Error(ErrorCode::invalid));
  return turn_->frozen();
}

}  // namespace packfs
