#include "crash/history.h"

#include <optional>
#include <utility>

#include "store/check.h"
#include "store/store.h"
#include "stress/apply.h"
#include "stress/compare.h"
#include "stress/operation.h"

namespace packfs::testing {
namespace {

constexpr std::uint32_t kUid = 1007;
constexpr std::uint32_t kGid = 1008;

std::string problem(std::string_view what, const Error& error) { return std::string(what) + ": " + error.message(); }

/// Every record and content of the journal, and that it can be done again.
std::string check_whole(base::Io& disk) {
  const auto report = store::check(disk, kStore, {});
  if (!report) return problem("cannot be checked", report.error());
  return report->damage.empty() ? "" : problem("a check finds damage", report->damage.front());
}

std::string read_beside(base::Io& disk, const History& history, std::size_t& found) {
  StoreOptions options;
  options.read_only = true;
  const auto volume = store::open(disk, kStore, options);
  if (!volume) return problem("does not open for reading", volume.error());
  auto wrong = check_state(*volume, history, found);
  return wrong.empty() ? check_whole(disk) : "read only: " + wrong;
}

std::string write_more(Volume& volume, stress::Model& model) {
  stress::Operation write;
  write.kind = stress::Operation::Kind::write;
  write.path = "after the crash";
  write.size = 300;
  const stress::Outcome real = apply(write, volume);
  return agrees(real, apply(write, model)) ? "" : "a further write gives " + real.to_text();
}

}  // namespace

stress::Model new_model() { return stress::Model(kUid, kGid); }

Result<Volume> open_store(base::Io& io, std::uint64_t segment_bytes) {
  StoreOptions options;
  options.segment_bytes = segment_bytes;
  options.uid = kUid;
  options.gid = kGid;
  return store::open(io, kStore, options);
}

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

std::string check_found(base::Io& disk, const History& history, std::uint64_t segment_bytes, First first) {
  std::size_t seen = 0;
  const bool is_read_first = first == First::reader && history.is_made;
  if (is_read_first) {
    if (auto wrong = read_beside(disk, history, seen); !wrong.empty()) return wrong;
  }
  std::size_t found = 0;
  History goes_on;
  {
    auto volume = open_store(disk, segment_bytes);
    if (!volume) return problem("does not open", volume.error());
    if (auto wrong = check_state(*volume, history, found); !wrong.empty()) return wrong;
    if (is_read_first && found != seen)
      return "a reader saw state " + std::to_string(seen) + ", not " + std::to_string(found);
    goes_on.states.push_back(history.states[found]);
    if (auto wrong = write_more(*volume, goes_on.states[0]); !wrong.empty()) return wrong;
  }
  for (int times = 0; times < 2; ++times) {
    auto volume = open_store(disk, segment_bytes);
    if (!volume) return problem("does not open again", volume.error());
    if (auto wrong = check_state(*volume, goes_on, found); !wrong.empty()) return "after a further write: " + wrong;
  }
  return first == First::writer ? check_whole(disk) : "";
}

}  // namespace packfs::testing
