#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/exit_code.h"
#include "packfs/pack.h"
#include "packfs/pack_builder.h"

namespace packfs::cli {

enum class Command { pack, unpack, ls, cat, stat, info, verify };

/// One command line, taken apart. What a command has no option for keeps its default.
struct Arguments {
  Command command = Command::info;
  std::string pack;                ///< the pack to read, or to write ("-": standard output)
  std::vector<std::string> paths;  ///< host paths for `pack`, paths in the pack for all others
  std::string directory = ".";     ///< unpack: where to
  Codec codec;
  unsigned threads = 0;  ///< 0: as many as the machine suggests
  ReadMode read_mode = ReadMode::mmap;
  bool privileged = false;
  bool long_format = false;
  bool recursive = false;
  bool json = false;
  bool nul = false;  ///< lines end with NUL, names are never escaped
};

/// A command line that is answered without running anything: help, the version, or what is wrong with it.
struct Answer {
  std::string text;
  ExitCode exit_code;  ///< done: the text goes to standard output as it is; usage: it is the error message
  std::string hint;    ///< usage: where to look further
};

std::variant<Arguments, Answer> parse_arguments(std::span<const std::string_view> arguments);

}  // namespace packfs::cli
