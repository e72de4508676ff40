#include <cstdio>

#include "house/checkout.h"

// house_check ROOT: every check of the source text over the checkout at ROOT. 0: nothing found, 1: found, 2: usage.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: house_check ROOT\n");
    return 2;
  }
  const auto checkout = packfs::house::read_checkout(argv[1]);
  bool clean = true;
  for (const auto& check : packfs::house::all_checks()) {
    for (const std::string& problem : check.run(checkout)) {
      std::printf("%s\n", problem.c_str());
      clean = false;
    }
  }
  std::printf("house_check: %zu files\n", checkout.size());
  return clean ? 0 : 1;
}
