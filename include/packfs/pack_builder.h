#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "packfs/error.h"
#include "packfs/pack.h"
#include "packfs/types.h"
#include "packfs/view.h"

namespace packfs {

/// How contents are stored.
struct Codec {
  enum class Kind : std::uint8_t { none, zstd };
  Kind kind = Kind::none;
  int level = 3;  ///< zstd: 1 to 19
};

/// How a pack is built. Whatever is left out gives an uncompressed pack with a root of mode 0755, owned by root.
struct BuildOptions {
  Codec codec = {};
  Attributes root{.mode = 0755};
};

/// Gives the next bytes of a content into `buffer`; 0 ends it.
using ByteStream = std::function<Result<std::size_t>(std::span<std::byte> buffer)>;

/// Writes one pack, front to back, in one pass: the output may be a pipe. Entries come in any order so long as a parent
/// comes before what is in it (or make_parents is asked for). The same calls give the same bytes. Memory: a bounded
/// buffer and about 100 bytes per entry. One thread at a time.
///
/// Errors of every add: no_entry or not_a_directory (the parent), exists (the name), name_too_long, invalid (an empty
/// name, a NUL byte, an attribute out of range), escapes_root (".."), an errno from the output. After an error from
/// the output nothing more can be added, and finish() fails.
class PackBuilder {
 public:
  /// Writes to a new file beside `path`, which finish() moves into place: `path` is either what it was or a whole pack.
  [[nodiscard]] static Result<PackBuilder> create(const std::string& path, const BuildOptions& options = {});
  /// Writes to an open descriptor, from its current position, which counts as offset 0; borrows it.
  [[nodiscard]] static Result<PackBuilder> create(int descriptor, const BuildOptions& options = {});

  PackBuilder(PackBuilder&&) noexcept;
  PackBuilder& operator=(PackBuilder&&) noexcept;
  /// Without finish(), what was written is removed.
  ~PackBuilder();

  /// One directory; its parent is there already.
  [[nodiscard]] Result<void> add_directory(std::string_view path, const Attributes& attributes);
  /// Directories that are missing on the way to `path`, itself included, with these attributes.
  [[nodiscard]] Result<void> make_parents(std::string_view path, const Attributes& attributes);
  /// A regular file from bytes, or from a stream read to its end during the call. What a failed stream gave is not
  /// kept.
  [[nodiscard]] Result<void> add_file(std::string_view path, const Attributes& attributes,
                                      std::span<const std::byte> content);
  [[nodiscard]] Result<void> add_file(std::string_view path, const Attributes& attributes, const ByteStream& content);
  /// `target` is 1 byte or more, without NUL, at most 1 MiB.
  [[nodiscard]] Result<void> add_symlink(std::string_view path, const Attributes& attributes, std::string_view target);
  /// `type` is fifo, socket, character_device or block_device; the numbers count for devices only.
  [[nodiscard]] Result<void> add_special(std::string_view path, const Attributes& attributes, FileType type,
                                         std::uint32_t major = 0, std::uint32_t minor = 0);
  /// A further name for a file, symlink or special that was added before. Errors: not_permitted (a directory).
  [[nodiscard]] Result<void> add_link(std::string_view path, std::string_view existing);

  /// All that a view shows, of a pack or a volume; its directory becomes the root, so nothing may have been added
  /// before. Names that share a file go on sharing it. Errors: also corrupt, what reading the view gives.
  [[nodiscard]] Result<void> add_tree(const View& tree);

  /// Appends index and footer, syncs a file made by path and moves it into place. Call once.
  [[nodiscard]] Result<PackInfo> finish();

 private:
  struct State;
  explicit PackBuilder(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace packfs
