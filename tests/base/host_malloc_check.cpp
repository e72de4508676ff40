// A program that links libpackfs keeps its own malloc: exits 0 when malloc and free are libc's, 1 when they are another
// library's.

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "base/alloc.h"

namespace {

bool is_libc_symbol(const char* name) {
  Dl_info info{};
  void* symbol = ::dlsym(RTLD_DEFAULT, name);
  if (symbol == nullptr || ::dladdr(symbol, &info) == 0) return false;
  std::printf("%s: %s\n", name, info.dli_fname);
  return std::strstr(info.dli_fname, "libc.so") != nullptr;
}

}  // namespace

int main() {
  // The library's allocation must be used, or the linker would leave its allocator out.
  const packfs::base::Buffer used(100);
  bool all = true;
  for (const char* name : {"malloc", "calloc", "realloc", "free", "posix_memalign"}) all = is_libc_symbol(name) && all;
  return all && used ? 0 : 1;
}
