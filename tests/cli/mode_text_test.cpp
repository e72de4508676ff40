#include "cli/mode_text.h"

#include <catch2/catch.hpp>

namespace {

using packfs::FileType;
using packfs::cli::mode_text;

TEST_CASE("types are shown by their letter", "[cli][mode]") {
  CHECK(mode_text(FileType::regular, 0) == "----------");
  CHECK(mode_text(FileType::directory, 0755) == "drwxr-xr-x");
  CHECK(mode_text(FileType::symlink, 0777) == "lrwxrwxrwx");
  CHECK(mode_text(FileType::fifo, 0640) == "prw-r-----");
  CHECK(mode_text(FileType::socket, 0600) == "srw-------");
  CHECK(mode_text(FileType::character_device, 0666) == "crw-rw-rw-");
  CHECK(mode_text(FileType::block_device, 0011) == "b-----x--x");
}

TEST_CASE("setid and sticky bits stand in the place of execute", "[cli][mode]") {
  CHECK(mode_text(FileType::regular, 04755) == "-rwsr-xr-x");
  CHECK(mode_text(FileType::regular, 04644) == "-rwSr--r--");
  CHECK(mode_text(FileType::directory, 02775) == "drwxrwsr-x");
  CHECK(mode_text(FileType::regular, 02604) == "-rw---Sr--");
  CHECK(mode_text(FileType::directory, 01777) == "drwxrwxrwt");
  CHECK(mode_text(FileType::directory, 01770) == "drwxrwx--T");
}

}  // namespace
