#pragma once

#include <array>
#include <string_view>

#include "cli/arguments.h"

namespace packfs::cli {

/// What --help says of one command besides its options.
struct CommandHelp {
  Command command;
  std::string_view group;  ///< the heading it stands under in the list of commands
  std::string_view name;
  std::string_view summary;  ///< one line, in the list of commands
  std::string_view usage;    ///< what follows "packfs "
  std::string_view details;  ///< below the options: rules, then an example
};

extern const std::array<CommandHelp, 20> kCommandHelp;

/// Below the list of commands.
extern const std::string_view kMainHelp;

}  // namespace packfs::cli
