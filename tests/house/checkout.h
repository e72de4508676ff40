#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace packfs::house {

/// The text files of a checkout: path from its root, to text. Tests make their own, with a flaw planted in it.
using Checkout = std::map<std::string, std::string>;

/// What a check found, one line each: "PATH: what is wrong". Empty when all is well.
using Problems = std::vector<std::string>;

/// Reads every .h, .cpp, .c, .sh, .md, Makefile and CMakeLists.txt under include, src, tests, bench, docs and at the
/// top of `root`.
[[nodiscard]] Checkout read_checkout(const std::string& root);

/// Files of C++: .h and .cpp.
[[nodiscard]] bool is_source(std::string_view path);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// One #include of a file.
struct Include {
  std::string_view target;
  bool quoted = false;  ///< "target", not <target>
};
[[nodiscard]] std::vector<Include> includes_of(std::string_view text);

/// All checks of the source text that need nothing built.
struct Check {
  std::string_view name;
  Problems (*run)(const Checkout&);
};
[[nodiscard]] const std::vector<Check>& all_checks();

}  // namespace packfs::house
