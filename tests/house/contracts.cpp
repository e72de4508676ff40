#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "house/checks.h"

namespace packfs::house {

namespace {

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The name in front of a statement's first parenthesis; empty when there is none.
std::string_view called_name(std::string_view statement) {
  const std::size_t end = statement.find('(');
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && is_name_character(statement[begin - 1])) --begin;
  return statement.substr(begin, end - begin);
}

/// Reads one header line by line and says which public declarations lack a contract. A contract covers its paragraph:
/// the declarations up to the next empty line.
class HeaderReader {
 public:
  explicit HeaderReader(std::string path) : path_(std::move(path)) {}

  void read(std::string_view whole_line) {
    const std::string_view line = trimmed(whole_line);
    if (line.empty()) has_contract_ = false;
    if (line.find("///") != std::string_view::npos) has_contract_ = true;
    const std::string_view code = trimmed(line.substr(0, line.find("//")));
    if (code.empty() || code.starts_with('#')) return;
    if (code == "public:" || code == "private:" || code == "protected:") {
      if (!scopes_.empty()) scopes_.back().is_public = code == "public:";
      return;
    }
    if (starts_statement_ && is_visible()) check(code);
    follow_braces(code);
    starts_statement_ = std::string_view(";{}:").contains(code.back());
  }

  [[nodiscard]] Problems take() { return std::move(problems_); }

 private:
  struct Scope {
    bool is_public = true;
    std::string type;  ///< empty: a namespace
  };

  [[nodiscard]] bool is_visible() const { return std::ranges::all_of(scopes_, &Scope::is_public); }

  /// "class X", "struct X", "enum class X", "enum X": X, when `code` defines it.
  static std::string_view defined_type(std::string_view code) {
    if (!code.ends_with('{')) return {};
    for (const std::string_view key : {"enum class ", "class ", "struct ", "enum "}) {
      if (!code.starts_with(key)) continue;
      const std::string_view rest = code.substr(key.size());
      return rest.substr(0, rest.find_first_of(" :{"));
    }
    return {};
  }

  void check(std::string_view code) {
    const std::string_view type = defined_type(code);
    if (!type.empty() && !has_contract_) report("type " + std::string(type));
    if (!type.empty() || has_contract_) return;
    for (const std::string_view plain : {"using ", "friend ", "static_assert", "template ", "explicit "}) {
      if (code.starts_with(plain)) return;
    }
    for (const std::string_view plain : {"operator", "= default", "= delete", "~"}) {
      if (code.contains(plain)) return;
    }
    const std::string_view name = called_name(code);
    const bool constructs = !scopes_.empty() && name == scopes_.back().type;
    if (!name.empty() && !constructs) report(std::string(name) + "()");
  }

  void follow_braces(std::string_view code) {
    const std::string_view type = defined_type(code);
    for (const char c : code) {
      if (c == '{') {
        const bool is_namespace = code.starts_with("namespace");
        const bool opens_private = !is_namespace && (type.empty() || code.starts_with("class "));
        scopes_.push_back({.is_public = !opens_private, .type = std::string(type)});
      } else if (c == '}' && !scopes_.empty()) {
        scopes_.pop_back();
      }
    }
  }

  void report(const std::string& what) { problems_.push_back(path_ + ": " + what + " has no contract"); }

  std::string path_;
  std::vector<Scope> scopes_;
  bool has_contract_ = false;
  bool starts_statement_ = true;
  Problems problems_;
};

}  // namespace

Problems contract_problems(const Checkout& checkout) {
  Problems problems;
  for (const auto& [path, text] : checkout) {
    if (!path.starts_with("include/") || !is_source(path)) continue;
    HeaderReader reader(path);
    for (const std::string_view line : lines_of(text)) reader.read(line);
    for (std::string& problem : reader.take()) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace packfs::house
