#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/result.h"

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void report(const std::string& page_path, const std::string& notes_path, const std::vector<std::string>& results) {
  packfs::bench::RunResult result;
  for (const std::string& path : results) merge(result, packfs::bench::parse_result(text_of(path)));
  std::cout << packfs::bench::table_of(result);
  std::ofstream page(page_path);
  page << packfs::bench::page_of(result, text_of(notes_path));
  if (!page.flush()) throw std::runtime_error("cannot write " + page_path);
}

}  // namespace

/// bench_report PAGE NOTES RESULT...: prints the table and writes the page.
int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: bench_report PAGE NOTES RESULT...\n";
    return 1;
  }
  try {
    report(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "bench_report: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
