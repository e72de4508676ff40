#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "corpus/corpus.h"
#include "packfs/packfs.h"

namespace packfs::bench {

/// All of a corpus in an uncompressed pack, through PackBuilder.
PackInfo write_pack(const Corpus& corpus, const std::string& path);

/// A pack, read through its View.
class PackStore {
 public:
  PackStore(const std::string& path, ReadMode mode)
      : pack_(must(Pack::open(path, mode), "open pack")), root_(pack_.root()) {}

  /// Copies a file's content out; returns its length.
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const {
    const Result<std::size_t> length = root_.read(path, buffer);
    return length ? *length : kMissing;
  }

  /// False when it is not there.
  bool status(std::string_view path, Status& status) const {
    const Result<Stat> found = root_.stat(path);
    if (!found) return false;
    status = {.type = found->type,
              .mode = found->mode,
              .uid = found->uid,
              .gid = found->gid,
              .size = found->size,
              .mtime = found->mtime};
    return true;
  }

  /// The names in each of `directories`, in order.
  template <class Visit>
  void list_all(std::span<const std::string> directories, Visit&& visit) const {
    for (const std::string& directory : directories) {
      for (const Result<Entry>& entry : root_.list(directory)) {
        if (!entry) fail("list " + directory + ": " + entry.error().message());
        visit(entry->name());
      }
    }
  }

  [[nodiscard]] const Pack& pack() const noexcept { return pack_; }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  Pack pack_;
  View root_;
};

}  // namespace packfs::bench
