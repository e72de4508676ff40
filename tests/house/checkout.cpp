#include "house/checkout.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "house/checks.h"

namespace packfs::house {

namespace fs = std::filesystem;

namespace {

bool is_text(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == "Makefile" || name == "CMakeLists.txt") return true;
  const std::string extension = path.extension().string();
  for (const char* wanted : {".h", ".cpp", ".c", ".sh", ".md"}) {
    if (extension == wanted) return true;
  }
  return false;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Checkout read_checkout(const std::string& root) {
  Checkout checkout;
  const auto take = [&](const fs::directory_entry& entry) {
    if (entry.is_regular_file() && is_text(entry.path())) {
      checkout.emplace(fs::relative(entry.path(), root).generic_string(), text_of(entry.path()));
    }
  };
  for (const auto& entry : fs::directory_iterator(root)) take(entry);
  for (const char* folder : {"include", "src", "tests", "bench", "docs"}) {
    if (!fs::exists(fs::path(root) / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) take(entry);
  }
  return checkout;
}

bool is_source(std::string_view path) { return path.ends_with(".h") || path.ends_with(".cpp"); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<Include> includes_of(std::string_view text) {
  constexpr std::string_view kDirective = "#include ";
  std::vector<Include> includes;
  for (std::string_view line : lines_of(text)) {
    if (!line.starts_with(kDirective)) continue;
    line.remove_prefix(kDirective.size());
    if (line.empty() || (line.front() != '"' && line.front() != '<')) continue;
    const bool quoted = line.front() == '"';
    line.remove_prefix(1);
    includes.push_back({.target = line.substr(0, line.find(quoted ? '"' : '>')), .quoted = quoted});
  }
  return includes;
}

const std::vector<Check>& all_checks() {
  static const std::vector<Check> checks{
      {"layers", layer_problems}, {"build", build_problems}, {"text", text_problems}, {"contracts", contract_problems}};
  return checks;
}

}  // namespace packfs::house
