#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"

namespace packfs::testing {

/// Writes a pack of one of everything to `path`:
///
///   drwxr-x--- 10:20   .             2001-09-09 01:46:40.000000005
///   -> nowhere         dangling
///   -> docs            dirlink
///   drwxr-xr-x 1:2     docs
///   -rw-r--r-- 1:2     docs/a.txt    "hello\n", 2000-02-29 00:00:00.123456789, user.tag = "v"
///   drwxrwsr-x         docs/sub
///   -rw-------         docs/sub/deep "deep"
///   drwx------         empty
///   -rw-r--r-- 2 names hard1, hard2  "linked"
///   -> docs/a.txt      link
///   crw-rw-rw- 1,3     null
///   prw-r--r--         pipe
///   -rwsr-xr-x         su            "#!\n"
///
/// What is not said is 0; symlinks have mode 0777.
void write_sample_pack(const std::string& path);

/// A directory of the test's own with that pack in it. Nothing is at `out`.
struct Sample {
  Sample() { write_sample_pack(pack); }
  TempDir directory;
  std::string pack = directory.path("sample.pack");
  std::string out = directory.path("out");
};

/// Names that mislead parsers and terminals, each a file that holds its own name.
const std::vector<std::string>& odd_names();
void write_odd_names_pack(const std::string& path);

/// Flips a bit in the last occurrence of `text` in the file at `path`, which must be there.
void damage_last(const std::string& path, std::string_view text);

}  // namespace packfs::testing
