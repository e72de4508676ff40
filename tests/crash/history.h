#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/io.h"
#include "packfs/volume.h"
#include "stress/model.h"

namespace packfs::testing {

/// Where the store is on every disk.
inline constexpr const char* kStore = "/store";
/// A store of the model's owner and group.
[[nodiscard]] Result<Volume> open_store(base::Io& io, std::uint64_t segment_bytes);
/// The model of a new one.
[[nodiscard]] stress::Model new_model();

/// What was done to a store, as far as it came.
struct History {
  std::vector<stress::Model> states;  ///< after each commit, also those that were only begun, in their order
  std::size_t durable = 0;            ///< index of the last one that was told to be durable
  bool is_made = false;               ///< the store was told to be there
  std::string complaint;              ///< a call gave what it must not; empty when none did
};

/// What is wrong with a state: it must be one of the history's from the last durable one on. `found` becomes its index,
/// of several equal ones the last.
[[nodiscard]] std::string check_state(const Volume& volume, const History& history, std::size_t& found);

/// Who looks first at what a crash left.
enum class First : std::uint8_t { writer, reader };

/// What is wrong with the store on a disk after a crash. It must open in one of the states from the last durable one on
/// (for a reader, if one looks first, in the same, and a check finds no damage); it must take a further write, and be
/// found with that by two more writers; if no reader looked first, no checksum may be wrong then. Empty when all is
/// well.
[[nodiscard]] std::string check_found(base::Io& disk, const History& history, std::uint64_t segment_bytes, First first);

}  // namespace packfs::testing
