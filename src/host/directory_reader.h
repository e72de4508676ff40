#pragma once

#include "base/io.h"
#include "host/names.h"
#include "packfs/error.h"

namespace packfs::host {

struct Nothing {};

/// A directory's names in byte order, "." and ".." left out.
struct DirectoryNames {
  Names<Nothing> others;  ///< not directories when they were listed
  Names<Nothing> directories;
};

/// Reads an open directory from where it stands to its end. Errors: an errno of getdents64; corrupt (its records).
[[nodiscard]] Result<DirectoryNames> read_directory(base::Io& io, int directory);

}  // namespace packfs::host
