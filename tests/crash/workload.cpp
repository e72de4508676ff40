#include "crash/workload.h"

#include <utility>

#include "store/store.h"
#include "stress/apply.h"
#include "stress/compare.h"
#include "stress/generator.h"

namespace packfs::testing {
namespace {

using stress::Model;
using stress::Operation;
using Kind = Operation::Kind;

constexpr std::uint32_t kUid = 1007;
constexpr std::uint32_t kGid = 1008;

bool is_change(Kind kind) { return kind < Kind::read && kind != Kind::fill && kind != Kind::thin; }

bool has_died(const stress::Outcome& outcome) {
  return outcome.error == ErrorCode::io_error || outcome.error == ErrorCode::poisoned;
}

/// One run of a workload.
class Doing {
 public:
  Doing(const Workload& workload, const Volume& volume)
      : workload_(workload),
        volume_(volume.with(workload.async ? Durability::async : Durability::sync)),
        current_(new_model()),
        committed_(current_) {
    history_.states.push_back(current_);
  }

  History run() {
    for (std::size_t i = 0; i < workload_.operations.size() && !is_dead_ && history_.complaint.empty(); ++i) {
      step(workload_.operations[i]);
      if (workload_.async && i % 4 == 3 && !transaction_ && volume_.sync()) {
        history_.durable = history_.states.size() - 1;
      }
    }
    return std::move(history_);
  }

 private:
  void step(const Operation& operation) {
    switch (operation.kind) {
      case Kind::begin:
        if (transaction_) return;
        if (auto begun = volume_.begin()) transaction_.emplace(std::move(*begun));
        return;
      case Kind::commit:
        if (transaction_) commit();
        return;
      case Kind::drop:
        transaction_.reset();
        current_ = committed_;
        return;
      default:
        call(operation);
    }
  }

  void commit() {
    history_.states.push_back(current_);
    const auto done = transaction_->commit(workload_.async ? Durability::async : Durability::sync);
    transaction_.reset();
    is_dead_ = !done;
    if (done) committed();
  }

  void committed() {
    committed_ = current_;
    if (!workload_.async) history_.durable = history_.states.size() - 1;
  }

  void call(const Operation& operation) {
    const stress::Outcome real = transaction_ ? apply(operation, *transaction_) : apply(operation, volume_);
    const stress::Outcome expected = apply(operation, current_);
    is_dead_ = has_died(real);
    if (!is_dead_ && !agrees(real, expected)) {
      history_.complaint = to_text(operation) + " gave " + real.to_text() + ", not " + expected.to_text();
    }
    if (transaction_ || expected.error) return;
    history_.states.push_back(current_);
    if (!is_dead_) committed();
  }

  const Workload& workload_;
  Volume volume_;
  std::optional<Transaction> transaction_;
  Model current_;
  Model committed_;
  History history_;
  bool is_dead_ = false;
};

std::string problem(std::string_view what, const Error& error) { return std::string(what) + ": " + error.message(); }

/// The first of the states, from the last one on, that this is; what is wrong when it is none.
std::string check_state(const Volume& volume, const History& history, std::size_t& found) {
  std::string complaints;
  for (std::size_t i = history.states.size(); i-- > history.durable;) {
    stress::ShownNumbers shown;
    const auto complaint = compare_state(static_cast<const Writable&>(volume), history.states[i], shown);
    found = i;
    if (!complaint) return "";
    complaints += "\n  not state " + std::to_string(i) + ": " + *complaint;
  }
  return "in none of the states from " + std::to_string(history.durable) + " on" + complaints;
}

}  // namespace

stress::Model new_model() { return stress::Model(kUid, kGid); }

Workload make_workload(std::uint64_t seed) {
  Workload workload{seed, 1 + seed % 12, seed % 5 == 4, seed % 3 == 0 ? 64U : 1U << 20, {}};
  stress::Generator generator(seed, new_model());
  while (workload.operations.size() < workload.calls) {
    Operation operation = generator.next();
    const bool is_bound =
        operation.kind == Kind::begin || operation.kind == Kind::commit || operation.kind == Kind::drop;
    if (is_bound || is_change(operation.kind)) workload.operations.push_back(std::move(operation));
  }
  return workload;
}

Result<Volume> open_store(base::Io& io, std::uint64_t segment_bytes) {
  StoreOptions options;
  options.segment_bytes = segment_bytes;
  options.uid = kUid;
  options.gid = kGid;
  return store::open(io, kStore, options);
}

History run(const Workload& workload, base::Io& disk) {
  auto volume = open_store(disk, workload.segment_bytes);
  if (!volume) {
    History history;
    history.states.push_back(new_model());
    if (volume.error().code() != ErrorCode::io_error) history.complaint = problem("open", volume.error());
    return history;
  }
  return Doing(workload, *volume).run();
}

std::string check_found(base::Io& disk, const Workload& workload, const History& history) {
  std::size_t found = 0;
  History goes_on;
  {
    auto volume = open_store(disk, workload.segment_bytes);
    if (!volume) return problem("does not open", volume.error());
    if (auto wrong = check_state(*volume, history, found); !wrong.empty()) return wrong;
    Operation write;
    write.kind = Kind::write;
    write.path = "after the crash";
    write.size = 300;
    goes_on.states.push_back(history.states[found]);
    const stress::Outcome real = apply(write, *volume);
    if (!agrees(real, apply(write, goes_on.states[0]))) return "a further write gives " + real.to_text();
  }
  auto volume = open_store(disk, workload.segment_bytes);
  if (!volume) return problem("does not open again", volume.error());
  auto wrong = check_state(*volume, goes_on, found);
  return wrong.empty() ? wrong : "after a further write: " + wrong;
}

}  // namespace packfs::testing
