#include "check.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace packfs::bench {

void fail(std::string_view what) {
  std::fprintf(stderr, "bench: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

void fail_errno(std::string_view what) {
  const int error = errno;
  fail(std::string(what) + ": " + std::strerror(error));
}

}  // namespace packfs::bench
