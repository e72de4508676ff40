#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "host/status.h"
#include "tree/sink.h"

namespace packfs::host {

/// Which files with several names are in the sink already. A file is known by device, inode number and (where the
/// filesystem tells it) time of birth, so that a number used again for a new file is not taken for the old one.
/// Forgets nothing: a file may get a further name at any time. About 100 bytes for each.
class ImportLinks {
 public:
  struct Found {
    tree::Sink::EntryId entry{};
    bool changed = false;  ///< content or attributes are no longer those that went into the sink
  };
  /// The entry that `status` is a further name of, if it is in the sink.
  [[nodiscard]] std::optional<Found> find(const struct statx& status) const;
  /// Remembers a first name; one of a file with a single name is not kept.
  void add(const struct statx& status, tree::Sink::EntryId entry);

 private:
  struct Key {
    FileIdentity identity;
    std::int64_t birth_seconds;
    std::uint32_t birth_nanoseconds;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Known {
    tree::Sink::EntryId entry;
    std::uint64_t size;
    std::int64_t mtime_seconds;
    std::uint32_t mtime_nanoseconds;
    std::uint32_t mode;
    std::uint32_t uid;
    std::uint32_t gid;
  };
  static Key key_of(const struct statx& status) noexcept;

  std::unordered_map<Key, Known, KeyHash> known_;
};

}  // namespace packfs::host
