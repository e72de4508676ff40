#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::tree {

/// Where a Sink takes a file's bytes from. Used by the thread that calls the sink, during that call only.
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  /// All bytes, when they are in memory already; otherwise an empty span with `in_memory()` false.
  [[nodiscard]] virtual bool in_memory() const = 0;
  [[nodiscard]] virtual std::span<const std::byte> bytes() const = 0;
  /// True when read() can be given any offset, again and again. Otherwise offsets only go forward without a gap.
  [[nodiscard]] virtual bool rereadable() const = 0;
  /// What the source believes its size to be, in bytes; it may shrink or grow meanwhile. Only of rereadable sources.
  [[nodiscard]] virtual std::uint64_t expected_size() const = 0;
  /// Bytes from `offset` on; 0 at the end only. Errors: an errno from the host.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) = 0;
  /// The first offset from `offset` on that may hold data: all before it is zero (SEEK_DATA). The expected size when
  /// nothing but zeros remains, `offset` itself when that is not known. Only of rereadable sources.
  [[nodiscard]] virtual Result<std::uint64_t> next_data(std::uint64_t offset) = 0;
};

/// Takes in a tree, parents before what is in them: a pack being built, later a transaction. One thread at a time.
///
/// Names are checked here: 1 to 255 bytes, no '/' or NUL, not "." or "..".
/// Errors of all calls: exists (the name is taken), invalid, name_too_long, corrupt never; an errno from the output.
class Sink {
 public:
  enum class DirectoryId : std::uint64_t {};
  enum class EntryId : std::uint64_t {};
  static constexpr DirectoryId kRoot{0};

  virtual ~Sink() = default;
  /// Once, before the first entry is added; without it the root has the sink's defaults.
  virtual Result<void> set_root(const Attributes& attributes) = 0;
  virtual Result<DirectoryId> add_directory(DirectoryId parent, std::string_view name,
                                            const Attributes& attributes) = 0;
  /// What was stored: `size` is the file's size in the sink. An error of `content` is returned and nothing is added.
  struct Added {
    EntryId entry{};
    std::uint64_t size = 0;
  };
  virtual Result<Added> add_file(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                 ContentSource& content) = 0;
  virtual Result<EntryId> add_symlink(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                      std::string_view target) = 0;
  virtual Result<EntryId> add_special(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                      FileType type, std::uint32_t major, std::uint32_t minor) = 0;
  /// A further name for a file, symlink or special.
  virtual Result<void> add_link(DirectoryId parent, std::string_view name, EntryId existing) = 0;
};

}  // namespace packfs::tree
