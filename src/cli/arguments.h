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

enum class Command {
  pack,
  unpack,
  export_tree,
  ls,
  cat,
  stat,
  info,
  verify,
  diff,
  init,
  put,
  import_tree,
  mkdir,
  rm,
  mv,
  cp,
  ln,
  log,
  check,
  repair,
};

/// One command line, taken apart. What a command has no option for keeps its default.
struct Arguments {
  Command command = Command::info;
  std::string tree;  ///< the pack or store to work on; of `pack` "-" is standard output; of `diff` the older
  std::vector<std::string> paths;  ///< host paths for `pack`, paths in the pack or store for all others
  std::string from;                ///< mv, cp: the old path; ln: the target
  std::string to;                  ///< mv, cp, ln: the new path; diff: the newer pack or store
  std::string file = "-";          ///< put: where the content comes from; "-" is standard input
  std::string directory = ".";     ///< unpack, export: where to; import: where from
  Codec codec;
  unsigned threads = 0;  ///< 0: as many as the machine suggests
  ReadMode read_mode = ReadMode::mmap;
  bool privileged = false;
  bool long_format = false;
  bool recursive = false;
  bool parents = false;   ///< mkdir: make what is missing on the way
  bool symbolic = false;  ///< ln: a symlink
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
