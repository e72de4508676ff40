#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packfs::cli {

/// Stands in for arguments that a command line parser must not look into: CLI11 takes a name like "[a]" for a list and
/// "++" for the end of a command. Every argument that is not an option or the command's name is replaced by a token
/// holding a NUL, which no real argument can; restore() puts the argument back.
class ArgumentTokens {
 public:
  explicit ArgumentTokens(std::span<const std::string_view> arguments);

  /// The command line to parse.
  [[nodiscard]] const std::vector<std::string>& tokens() const noexcept { return tokens_; }
  /// `text` with every token in it replaced by its argument.
  [[nodiscard]] std::string restore(std::string_view text) const;
  [[nodiscard]] static bool is_token(std::string_view text) noexcept { return text.starts_with('\0'); }

 private:
  std::vector<std::string_view> arguments_;
  std::vector<std::string> tokens_;
};

}  // namespace packfs::cli
