// read_one_lmdb DATABASE PATH: opens an LMDB file and prints one file's content.
#include <unistd.h>

#include <array>
#include <cstddef>

#include "arms/lmdb_store.h"

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  std::array<std::byte, 16384> buffer;
  const packfs::bench::LmdbStore store(argv[1]);
  const std::size_t length = store.read(argv[2], buffer);
  return length <= buffer.size() && write(STDOUT_FILENO, buffer.data(), length) == static_cast<ssize_t>(length) ? 0 : 1;
}
