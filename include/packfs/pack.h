#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "packfs/error.h"
#include "packfs/ref.h"
#include "packfs/view.h"

namespace packfs {

namespace pack {
class Reader;
}

/// How a pack's bytes are reached.
enum class ReadMode : std::uint8_t {
  /// Mapped into memory: fastest, and content is handed out without a copy. Shrinking or rewriting the file in place
  /// while it is open is outside the promise (SIGBUS, or bytes that changed after they were verified).
  mmap,
  /// Read with pread(2) into memory of the process: a file that shrinks or changes gives an error, never a signal.
  /// Index pages are kept once read.
  pread,
};

/// What a pack says of itself; read at open, costs nothing.
struct PackInfo {
  std::array<std::uint8_t, 16> pack_id{};  ///< derived from the content: equal trees, equal ids
  std::uint32_t format_version = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t log_bytes = 0;    ///< records: heads, contents, checksums
  std::uint64_t index_bytes = 0;  ///< index and footer
  std::uint64_t directories = 0;  ///< the root included
  std::uint64_t entries = 0;      ///< names of every kind, the root not included
  std::uint64_t content_bytes = 0;
  std::uint64_t linked_names = 0;
  std::uint64_t records = 0;
};

/// What Pack::verify found. Whole when `damage` is empty.
struct VerifyReport {
  std::uint64_t bytes_checked = 0;
  std::uint64_t records_checked = 0;
  std::uint64_t entries_checked = 0;
  std::vector<Error> damage;  ///< at most kMaxDamage, each with path or offset
  std::uint64_t damages = 0;  ///< how many there were in all
  static constexpr std::size_t kMaxDamage = 1000;
};

/// An open pack. Cheap to copy; Views and Files taken from it hold it open. Threads: usable from any thread.
class Pack {
 public:
  /// Opens in constant time, whatever the number of entries: header, footer and bounds are checked here, all else when
  /// first touched. Any bytes at all are safe to open.
  /// Errors: not_a_pack, unsupported_version, corrupt (with the offset), an errno from the host.
  [[nodiscard]] static Result<Pack> open(const std::string& path, ReadMode mode = ReadMode::mmap);

  explicit Pack(Ref<const pack::Reader> reader) noexcept;
  Pack(const Pack&) noexcept;
  Pack& operator=(const Pack&) noexcept;
  ~Pack();

  /// The pack's top directory, and what the pack says of itself. Neither reads the file.
  [[nodiscard]] View root() const;
  [[nodiscard]] PackInfo info() const;

  /// Reads everything: every record, page, name and content, and that index and log agree. Damage is reported, not
  /// returned as an error. `progress` (may be empty) is called now and then with bytes done and in all; false cancels.
  /// Errors: ECANCELED; an errno from the host.
  [[nodiscard]] Result<VerifyReport> verify(
      const std::function<bool(std::uint64_t done, std::uint64_t total)>& progress = {}) const;

 private:
  Ref<const pack::Reader> reader_;
};

}  // namespace packfs
