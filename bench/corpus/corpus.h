#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packfs/types.h"

namespace packfs::bench {

/// What every store must tell of an entry: the part of stat that they have in common.
struct Status {
  FileType type = FileType::none;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  Time mtime;
  friend bool operator==(const Status&, const Status&) = default;
};

/// A file of a corpus; its bytes and its times follow from the seed.
struct CorpusFile {
  std::string path;
  std::uint32_t size = 0;
  std::uint64_t seed = 0;
};

/// A directory tree that every arm stores: the same names, attributes and bytes in each.
struct Corpus {
  std::string name;
  std::vector<std::string> directories;  ///< all below the root, parents first
  std::vector<CorpusFile> files;

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::size_t entries() const { return directories.size() + files.size(); }
};

/// No file of any corpus is larger.
inline constexpr std::size_t kMaxFileBytes = 16384;

/// Writes a file's content: words and spaces, as compressible as source text, different for each seed.
void fill_content(std::uint64_t seed, std::span<std::byte> out);
[[nodiscard]] std::vector<std::byte> content_of(const CorpusFile& file);

/// Owner is the caller of the process, modes 0644 and 0755, mtime from the seed.
[[nodiscard]] Status status_of(const CorpusFile& file);
[[nodiscard]] Status directory_status();
[[nodiscard]] Attributes attributes_of(const Status& status);

/// Workload W: 128-byte files, 100 in a directory, `dNNN/fNNNNN`.
[[nodiscard]] Corpus workload(unsigned files);
/// The same files in the root.
[[nodiscard]] Corpus flat_workload(unsigned files);
/// The path of file `i` of workload W.
[[nodiscard]] std::string workload_path(unsigned i);
inline constexpr std::uint32_t kWorkloadFileBytes = 128;
inline constexpr unsigned kWorkloadDirectoryFiles = 100;

/// What the repository tree consists of.
struct RepositoryShape {
  unsigned files = 53'600;
  unsigned directories = 3'604;
  unsigned own_files = 2'600;          ///< .ts and .tsx under src/ and packages/
  unsigned module_typescript = 4'800;  ///< .ts under node_modules/
  unsigned modules = 400;              ///< packages in node_modules/
  unsigned nested_modules = 200;       ///< of which so many have a dependency of their own
  std::uint64_t bytes = 71'500'000;
  static RepositoryShape twentieth();
};

/// A source repository with its dependencies: sizes log-normal between 128 bytes and 16 KiB.
[[nodiscard]] Corpus repository_tree(const RepositoryShape& shape);

}  // namespace packfs::bench
