#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "house/checks.h"

namespace packfs::house {

namespace {

constexpr std::size_t kMaxLines = 500;
constexpr std::array<std::string_view, 2> kUnfinished{"TODO", "FIXME"};
constexpr std::array<std::string_view, 5> kSleeps{"sleep", "usleep", "nanosleep", "sleep_for", "sleep_until"};

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// True when `word` stands in `text` by itself, followed by one of `followers` (any character that ends a word when
/// there are none).
bool has_word(std::string_view text, std::string_view word, std::string_view followers = {}) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const std::size_t after = at + word.size();
    const char next = after < text.size() ? text[after] : '\n';
    if (begins && (followers.empty() ? !is_word_character(next) : followers.contains(next))) return true;
  }
  return false;
}

bool is_code(std::string_view path) { return is_source(path) || path.ends_with(".c") || path.ends_with(".sh"); }

}  // namespace

Problems text_problems(const Checkout& checkout) {
  Problems problems;
  for (const auto& [path, text] : checkout) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (is_code(path) && lines >= kMaxLines) problems.push_back(path + ": has " + std::to_string(lines) + " lines");
    if (path.starts_with("tests/house/")) continue;  // the words stand here as data
    for (const std::string_view mark : kUnfinished) {
      if (has_word(text, mark)) problems.push_back(path + ": says " + std::string(mark));
    }
    if (!path.starts_with("tests/")) continue;
    for (const std::string_view sleep : kSleeps) {
      if (has_word(text, sleep, path.ends_with(".sh") ? " \t" : "(")) {
        problems.push_back(path + ": waits with " + std::string(sleep));
      }
    }
  }
  return problems;
}

}  // namespace packfs::house
