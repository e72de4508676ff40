#pragma once

#include <span>
#include <string_view>

#include "base/io.h"
#include "cli/streams.h"

namespace packfs::cli {

/// The `packfs` command: does what `arguments` (without the program's name) ask for and returns the exit code: 0 done,
/// 1 failed, 2 wrong usage, 3 done in part (each path left out was named on `streams.err`).
///
/// SIGPIPE and SIGXFSZ must be ignored by the caller; a reader of standard output that goes away gives 1 without a
/// message.
/// Threads: any number of calls at once, each with its own streams.
int run(std::span<const std::string_view> arguments, const Streams& streams, base::Io& io);

}  // namespace packfs::cli
