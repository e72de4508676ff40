#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/argument_tokens.h"
#include "cli/arguments.h"

namespace packfs::cli {

/// A command line as the parser fills it in: tokens not yet restored, values not yet checked.
struct RawArguments {
  Command command = Command::info;
  std::string tree;                ///< PACK, STORE; of diff A
  std::vector<std::string> paths;  ///< SRC..., PATH...; of export [PATH] DIR
  std::string path;                ///< PATH, where there is one
  std::string from;                ///< FROM, TARGET
  std::string to;                  ///< TO, PATH; of diff B
  std::string file;                ///< FILE
  std::string source;              ///< DIR of import
  std::string output;
  std::string directory = ".";
  std::string codec = "none";
  std::string threads;
  std::string read_mode = "mmap";
  bool privileged = false;
  bool long_format = false;
  bool recursive = false;
  bool parents = false;
  bool symbolic = false;
  bool json = false;
  bool nul = false;
};

/// Which options and names a command line gives, or the answer to it.
[[nodiscard]] std::variant<RawArguments, Answer> parse_tokens(const ArgumentTokens& tokens);

/// What is wrong with a command line, and where to look further.
[[nodiscard]] Answer usage_error(std::string message, std::string_view command);

}  // namespace packfs::cli
