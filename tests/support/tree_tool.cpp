// tree_tool make-odd DIR            fills DIR with everything odd a tree can hold
// tree_tool compare [OPTION] A B    prints how two trees differ; exit code 1 when they do
//   --no-owner   leaves owners out     --no-root    leaves out the attributes of A and B themselves
//   --no-holes   does not ask for holes in B
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/odd_tree.h"
#include "support/tree_compare.h"

namespace {

constexpr int kUsage = 2;

int usage() {
  std::fputs("usage: tree_tool make-odd DIR | compare [--no-owner] [--no-root] [--no-holes] A B\n", stderr);
  return kUsage;
}

int compare(const std::vector<std::string>& arguments) {
  packfs::testing::CompareOptions options;
  std::vector<std::string> trees;
  for (const std::string& argument : arguments) {
    if (argument == "--no-owner") {
      options.owners = false;
    } else if (argument == "--no-root") {
      options.root_attributes = false;
    } else if (argument == "--no-holes") {
      options.holes = false;
    } else {
      trees.push_back(argument);
    }
  }
  if (trees.size() != 2) return usage();
  const auto differences = packfs::testing::compare_trees(trees[0], trees[1], options);
  for (const std::string& difference : differences) std::puts(difference.c_str());
  return differences.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** given) {
  std::vector<std::string> arguments(given + 1, given + count);
  if (arguments.empty()) return usage();
  const std::string command = arguments.front();
  arguments.erase(arguments.begin());
  try {
    if (command == "compare") return compare(arguments);
    if (command != "make-odd" || arguments.size() != 1) return usage();
    packfs::testing::make_odd_tree(arguments.front());
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tree_tool: %s\n", failure.what());
    return kUsage;
  }
}
