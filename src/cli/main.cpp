#include <fcntl.h>

#include <atomic>
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

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // it is set in a signal handler
volatile std::sig_atomic_t interrupting_signal = 0;

// The first signal stops the command in good order, so that no half-written file stays; a second one ends it at once.
void stop_on(int signal_number) {
  struct sigaction action{};
  action.sa_handler = [](int number) {
    interrupting_signal = number;
    interrupted = true;
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  struct sigaction before{};
  sigaction(signal_number, &action, &before);
  if (before.sa_handler == SIG_IGN) sigaction(signal_number, &before, nullptr);  // as nohup(1) wants it
}

}  // namespace

int main(int argc, char** argv) {
  packfs::base::Io& io = packfs::base::system_io();
  reserve_standard_descriptors(io);
  for (const int signal_number : {SIGPIPE, SIGXFSZ}) std::signal(signal_number, SIG_IGN);  // the call that fails tells
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) stop_on(signal_number);
  const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const packfs::cli::Streams streams{
      .out_is_terminal = io.isatty(1) == 1, .err_is_terminal = io.isatty(2) == 1, .interrupted = &interrupted};
  const int exit_code = packfs::cli::run(arguments, streams, io);
  if (interrupted) {
    std::signal(interrupting_signal, SIG_DFL);
    std::raise(interrupting_signal);  // who waits for this process sees that it was interrupted
  }
  return exit_code;
}
