#pragma once

#include <string>
#include <string_view>

#include "base/io.h"
#include "base/unique_fd.h"
#include "packfs/error.h"

namespace packfs::pack {

/// A file that appears under its path as a whole or not at all: it is written under another name in the same directory
/// and moved into place by commit(). Without that it is removed. One thread at a time. Borrows `io`.
class OutputFile {
 public:
  /// A path that is there must be a regular file, which is replaced; a symlink at its end is followed, and what it
  /// names is replaced. Errors: is_a_directory; invalid (something else that is not a regular file; a NUL byte);
  /// name_too_long (a name that rename(2) would refuse at the end); symlink_loop; an errno of open, stat or readlink.
  static Result<OutputFile> create(base::Io& io, std::string_view path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Open for writing, at offset 0.
  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

  /// Syncs the file, moves it into place, syncs the directory. Once. Errors: an errno of fsync or rename. When only the
  /// directory's sync fails, the file is in place already, but may not outlast a power failure.
  [[nodiscard]] Result<void> commit();

 private:
  OutputFile(base::Io& io, base::unique_fd directory, std::string name) noexcept;
  Result<void> make_temporary();
  void discard() noexcept;

  base::Io* io_;
  base::unique_fd directory_;
  base::unique_fd file_;
  std::string name_;
  std::string temporary_;  // empty: there is none any more
};

}  // namespace packfs::pack
