#include "cli/argument_tokens.h"

#include <charconv>

namespace packfs::cli {

ArgumentTokens::ArgumentTokens(std::span<const std::string_view> arguments)
    : arguments_(arguments.begin(), arguments.end()) {
  bool command_seen = false;
  bool options_ended = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool option = !options_ended && argument.size() > 1 && argument.starts_with('-');
    if (option) options_ended = argument == "--";
    if (option || !command_seen) {
      tokens_.emplace_back(argument);
      command_seen = command_seen || !option;
    } else {
      tokens_.push_back(std::string(1, '\0') + std::to_string(i) + '\0');
    }
  }
}

std::string ArgumentTokens::restore(std::string_view text) const {
  std::string restored;
  while (!text.empty()) {
    const std::size_t begin = text.find('\0');
    restored += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('\0', begin + 1);
    if (end == std::string_view::npos) break;
    std::size_t index = arguments_.size();
    std::from_chars(text.data() + begin + 1, text.data() + end, index);
    if (index < arguments_.size()) restored += arguments_[index];
    text.remove_prefix(end + 1);
  }
  return restored;
}

}  // namespace packfs::cli
