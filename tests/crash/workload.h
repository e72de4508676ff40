#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stress/operation.h"

namespace packfs::testing {

/// What a workload is about.
enum class WorkloadKind : std::uint8_t {
  single,    ///< each kind of call by itself, on a tree that is there
  pair,      ///< two of them, as two commits or as one
  random,    ///< what the generator of the stress tests makes of it
  group,     ///< several commits written before one sync
  streamed,  ///< transactions larger than a journal buffers, committed and dropped, small commits over what they left
  failed_sync,  ///< a sync that fails; what the disk lost is still seen until the machine stops
  reopened,     ///< closed or killed and opened again, with commits of the same length each time
};
inline constexpr std::array kWorkloadKinds{WorkloadKind::single,  WorkloadKind::pair,     WorkloadKind::random,
                                           WorkloadKind::group,   WorkloadKind::streamed, WorkloadKind::failed_sync,
                                           WorkloadKind::reopened};
[[nodiscard]] std::string_view name_of(WorkloadKind kind);

/// One thing that a process does.
struct Action {
  enum class Kind : std::uint8_t {
    call,    ///< in the open transaction, if there is one
    begin,   ///< of a transaction; nothing when one is open
    commit,  ///< nothing when none is open; so is a drop
    drop,
    sync,
    group_before,  ///< `group` by a thread each, all written before the first sync begins
    group_after,   ///< the same, but the first sync was done when the others wrote
  };
  Kind kind = Kind::call;
  bool is_async = false;
  stress::Operation operation;
  std::vector<stress::Operation> group;
};
[[nodiscard]] std::string to_text(const Action& action);

/// What one process does between opening the store and its end.
struct Life {
  std::vector<Action> actions;
  bool is_killed = false;        ///< not closed in order
  std::uint64_t killed_at = 0;   ///< at the so many-th change of the disk that it makes; 0: after its last action
  std::size_t failing_sync = 0;  ///< the so many-th sync of any file fails; 0: none
};

/// What is done to a store on one machine, by one process after another. The first makes the store and what the others
/// need; it is the same for each seed.
struct Workload {
  WorkloadKind kind{};
  std::uint64_t seed = 0;
  std::uint64_t segment_bytes = 0;
  std::vector<Life> lives;
};
[[nodiscard]] Workload make_workload(WorkloadKind kind, std::uint64_t seed);
[[nodiscard]] std::string to_text(const Workload& workload);

/// Calls as those of `life`, of the same length, on other names: what could be taken for them.
[[nodiscard]] Life twin_of(const Life& life, std::uint64_t seed);

}  // namespace packfs::testing
