#pragma once

#include <cstdint>
#include <string>

#include "arms/rested_filesystem.h"
#include "corpus/corpus.h"
#include "settings.h"

namespace packfs::bench {

/// A new filesystem with an empty directory to unpack a corpus into.
class UnpackTarget {
 public:
  UnpackTarget(const Settings& settings, const Corpus& corpus);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& description() const noexcept { return filesystem_.description(); }

 private:
  RestedFilesystem filesystem_;
  std::string path_;
};

/// Which attributes of a file a way of unpacking keeps.
enum class Keeps : std::uint8_t {
  all,
  whole_seconds,  ///< all but the fraction of a second: tar's usual format
  none,
};

/// Ends the program unless the directory holds the corpus: names, bytes, and the attributes that are kept.
void must_hold_corpus(const std::string& directory, const Corpus& corpus, Keeps what, const std::string& who);

}  // namespace packfs::bench
