// read_one_pack PACK PATH: opens a pack and prints one file.
#include <unistd.h>

#include <array>
#include <cstddef>

#include "packfs/pack.h"

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  std::array<std::byte, 16384> buffer;
  const auto pack = packfs::Pack::open(argv[1]);
  if (!pack) return 1;
  const auto length = pack->root().read(argv[2], buffer);
  return length && write(STDOUT_FILENO, buffer.data(), *length) == static_cast<ssize_t>(*length) ? 0 : 1;
}
