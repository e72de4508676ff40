#include <fcntl.h>

#include <csignal>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "cli/cli.h"

namespace {

// A standard descriptor that is closed would be given to the next file opened, and messages written into that file. In
// its place stands one that can be neither read from nor written to.
void reserve_standard_descriptors(packfs::base::Io& io) {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) io.openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  packfs::base::Io& io = packfs::base::system_io();
  reserve_standard_descriptors(io);
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const packfs::cli::Streams streams{.out_is_terminal = io.isatty(1) == 1, .err_is_terminal = io.isatty(2) == 1};
  return packfs::cli::run(arguments, streams, io);
}
