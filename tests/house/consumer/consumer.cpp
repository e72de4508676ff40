#include <dlfcn.h>
#include <packfs/packfs.h>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace {

/// The file name of the library that a call of `symbol` in this program reaches.
std::string provider(const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  Dl_info info{};
  if (address == nullptr || dladdr(address, &info) == 0) return "nobody";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

bool provided_by(const char* symbol, std::string_view library) {
  const std::string found = provider(symbol);
  if (found.starts_with(library)) return true;
  std::fprintf(stderr, "%s comes from %s, not from %.*s\n", symbol, found.c_str(), static_cast<int>(library.size()),
               library.data());
  return false;
}

bool pack_and_read(const char* path) {
  auto builder = packfs::PackBuilder::create(path);
  if (!builder) return false;
  const std::string_view text = "hello\n";
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  if (!builder->add_file("greeting", {}, bytes) || !builder->finish()) return false;
  const auto pack = packfs::Pack::open(path);
  if (!pack) return false;
  const auto file = pack->root().open("greeting");
  if (!file) return false;
  const auto read = file->read_all();
  return read && read->size() == text.size();
}

bool write_and_reopen(const std::string& directory) {
  const std::string_view text = "kept\n";
  {
    auto store = packfs::Volume::open(directory);
    if (!store) return false;
    auto transaction = store->begin();
    if (!transaction) return false;
    if (!transaction->write("a/b", std::as_bytes(std::span(text.data(), text.size())), packfs::make_parents))
      return false;
    if (!transaction->rename("a", "c") || !transaction->commit()) return false;
  }
  auto reader = packfs::Volume::open(directory, {.read_only = true});
  if (!reader) return false;
  const auto file = reader->open_file("c/b");
  if (!file) return false;
  const auto read = file->read_all();
  return read && read->size() == text.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !pack_and_read(argv[1])) {
    std::fprintf(stderr, "the pack is not what it should be\n");
    return 1;
  }
  if (!write_and_reopen(std::string(argv[1]) + ".store")) {
    std::fprintf(stderr, "the store is not what it should be\n");
    return 1;
  }
  // mimalloc is there, for the library alone: otherwise what follows would prove nothing.
  bool right = provided_by("mi_malloc", "libmimalloc");
  for (const char* symbol : {"malloc", "free", "calloc", "realloc", "posix_memalign"}) {
    right = provided_by(symbol, "libc.") && right;
  }
  right = provided_by("_Znwm", "libstdc++.") && right;
  right = provided_by("_ZdlPv", "libstdc++.") && right;
  return right ? 0 : 1;
}
