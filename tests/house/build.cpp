#include <set>
#include <string>

#include "house/checks.h"

namespace packfs::house {

namespace {

constexpr std::string_view kCMakeFile = "CMakeLists.txt";

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// The words of a CMakeLists.txt: what stands between spaces, quotes and parentheses, comments left out.
std::set<std::string, std::less<>> words_of(std::string_view text) {
  constexpr std::string_view kBetween = " \t\"()";
  std::set<std::string, std::less<>> words;
  for (std::string_view line : lines_of(text)) {
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const std::size_t end = line.find_first_of(kBetween);
      if (end != 0) words.emplace(line.substr(0, end));
      line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
  }
  return words;
}

/// True when a CMakeLists.txt in `directory` or above it names `path` as seen from there (`directory` itself only when
/// `path` is not its own CMakeLists.txt).
bool named_above(const Checkout& checkout, const std::string& path, std::string directory) {
  while (true) {
    const std::string prefix = directory.empty() ? "" : directory + "/";
    const auto found = checkout.find(prefix + std::string(kCMakeFile));
    if (found != checkout.end() && words_of(found->second).contains(path.substr(prefix.size()))) return true;
    if (directory.empty()) return false;
    directory = directory_of(directory);
  }
}

/// A folder with a CMakeLists.txt is in the build when one above adds it, by its path or (in a loop) by its last part.
bool folder_is_built(const Checkout& checkout, const std::string& folder) {
  if (named_above(checkout, folder, directory_of(folder))) return true;
  const std::string parent = directory_of(folder);
  const std::string last = folder.substr(parent.empty() ? 0 : parent.size() + 1);
  for (const std::string& above : {parent, directory_of(parent)}) {
    const auto found = checkout.find((above.empty() ? "" : above + "/") + std::string(kCMakeFile));
    if (found != checkout.end() && words_of(found->second).contains(last)) return true;
  }
  return false;
}

/// True when `path` may be what an include of `target` names: the target is its end, from some folder on.
bool may_be(std::string_view path, std::string_view target) {
  return path.ends_with(target) && (path.size() == target.size() || path[path.size() - target.size() - 1] == '/');
}

bool is_included(const Checkout& checkout, std::string_view header) {
  for (const auto& [path, text] : checkout) {
    if (!is_source(path) || path == header) continue;
    for (const Include& include : includes_of(text)) {
      if (may_be(header, include.target)) return true;
    }
  }
  return false;
}

bool in_tree(std::string_view path) {
  return path.starts_with("src/") || path.starts_with("tests/") || path.starts_with("bench/") ||
         path.starts_with("include/");
}

/// A project of its own: built by a test, not by this build.
bool is_project(std::string_view text) { return text.find("\nproject(") != std::string_view::npos; }

}  // namespace

Problems build_problems(const Checkout& checkout) {
  Problems problems;
  for (const auto& [path, text] : checkout) {
    if (!in_tree(path)) continue;
    if (path.ends_with(".cpp") && !named_above(checkout, path, directory_of(path))) {
      problems.push_back(path + ": no CMakeLists.txt names it");
    } else if (path.ends_with(".h") && !is_included(checkout, path)) {
      problems.push_back(path + ": nothing includes it");
    } else if (path.ends_with(kCMakeFile) && !is_project(text) && !folder_is_built(checkout, directory_of(path))) {
      problems.push_back(path + ": no CMakeLists.txt above adds its folder");
    }
  }
  return problems;
}

}  // namespace packfs::house
