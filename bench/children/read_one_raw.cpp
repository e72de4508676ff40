// read_one_raw DIRECTORY PATH: prints one host file. What a new process costs that reads one file, and no more.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  std::array<std::byte, 16384> buffer;
  const int directory = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return 1;
  const int file = openat(directory, argv[2], O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  const ssize_t length = read(file, buffer.data(), buffer.size());
  close(file);
  close(directory);
  return length > 0 && write(STDOUT_FILENO, buffer.data(), static_cast<std::size_t>(length)) == length ? 0 : 1;
}
