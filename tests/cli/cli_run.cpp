#include "cli/cli_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "cli/cli.h"

namespace packfs::testing {

Catcher::Catcher() : descriptor_(memfd_create("caught", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
}

Catcher::~Catcher() { ::close(descriptor_); }

std::string Catcher::text() const {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (count < 0) throw std::runtime_error("cannot read what was caught");
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void Catcher::hold(std::string_view text) const {
  if (::ftruncate(descriptor_, 0) != 0) throw std::runtime_error("cannot empty what was caught");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0) throw std::runtime_error("cannot write what is to be read");
    done += static_cast<std::size_t>(count);
  }
}

std::chrono::steady_clock::time_point stepping_clock() {
  static std::chrono::steady_clock::time_point now{};
  now += std::chrono::milliseconds(50);
  return now;
}

Outcome run_cli_into(int descriptor, const std::vector<std::string>& arguments, const RunOptions& options) {
  const Catcher err;
  const Catcher in;
  in.hold(options.in);
  const std::vector<std::string_view> views(arguments.begin(), arguments.end());
  const cli::Streams streams{.in = options.in_descriptor == -1 ? in.descriptor() : options.in_descriptor,
                             .out = descriptor,
                             .err = err.descriptor(),
                             .out_is_terminal = options.out_is_terminal,
                             .err_is_terminal = options.err_is_terminal,
                             .now = stepping_clock,
                             .interrupted = options.interrupted};
  const int exit_code = cli::run(views, streams, *options.io);
  return {.exit_code = exit_code, .out = {}, .err = err.text()};
}

Outcome run_cli(const std::vector<std::string>& arguments, const RunOptions& options) {
  const Catcher out;
  Outcome outcome = run_cli_into(out.descriptor(), arguments, options);
  outcome.out = out.text();
  return outcome;
}

}  // namespace packfs::testing
