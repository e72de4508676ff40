#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/io.h"
#include "packfs/volume.h"
#include "stress/model.h"
#include "stress/operation.h"

namespace packfs::testing {

/// What was done to a store until it died.
struct History {
  std::vector<stress::Model> states;  ///< after each commit, also the one that was begun last, in their order
  std::size_t durable = 0;            ///< index of the last one that was told to be durable
  std::string complaint;              ///< a call gave what the model does not; empty when none did
};

/// Some calls and transactions on a store, from a seed; `async` ones are made durable now and then.
struct Workload {
  std::uint64_t seed = 0;
  std::size_t calls = 0;
  bool async = false;
  std::uint64_t segment_bytes = 0;  ///< 64 so that each transaction has a segment of its own, or many have one
  std::vector<stress::Operation> operations;
};
[[nodiscard]] Workload make_workload(std::uint64_t seed);

/// Where the store is on every disk.
inline constexpr const char* kStore = "/store";

/// A store of the model's owner and group.
[[nodiscard]] Result<Volume> open_store(base::Io& io, std::uint64_t segment_bytes);
/// The model of a new one.
[[nodiscard]] stress::Model new_model();

/// Opens the store on `disk`, which may die on the way, and does all of it, as far as it comes.
[[nodiscard]] History run(const Workload& workload, base::Io& disk);

/// What is wrong with the store after a crash: it must open, be in one of the states from the last durable one on, take
/// a further write, and be found with that again. Empty when all is well.
[[nodiscard]] std::string check_found(base::Io& disk, const Workload& workload, const History& history);

}  // namespace packfs::testing
