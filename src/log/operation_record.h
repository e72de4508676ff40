#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "log/record.h"
#include "packfs/error.h"
#include "tree/operation.h"

// How a journal's records say what was done to a volume (docs/format.md section 2.1, the types named by path).
namespace packfs::log {

/// What an operation was given besides the state it changed; given that again, it does the same again.
struct Setting {
  tree::Stamp stamp;
  std::uint64_t inode = 1;    ///< the next inode number
  std::uint64_t link_id = 1;  ///< the next link id
};

/// The record that says `operation`, which it borrows from. Its content is logged_bytes(); form and length are set.
[[nodiscard]] Record record_of(const tree::Operation& operation, const Setting& setting);

/// What stands in the record as its content. Errors: as content::Content::borrow().
[[nodiscard]] Result<std::span<const std::byte>> logged_bytes(const tree::Operation& operation);

/// What a record says, and what it was given. `operation` borrows from the record; what its content was (`bytes`,
/// `content`, a symlink's target) is for the caller to fill in. `exclusive` and the modes that only make a call fail
/// are not told: the call succeeded.
struct Logged {
  tree::Operation operation;
  Setting setting;
  std::optional<Attributes> attributes;  ///< for the caller to point `operation` to, once this stays where it is
};
/// The record is named by path.
[[nodiscard]] Logged operation_of(const Record& record);

}  // namespace packfs::log
