#include "support/packs.h"

#include <fstream>
#include <ios>
#include <stdexcept>

namespace packfs::testing {

void must(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message());
}

void build_pack(const std::string& path, const std::function<void(PackBuilder&)>& fill, const BuildOptions& options) {
  auto builder = PackBuilder::create(path, options);
  if (!builder) throw std::runtime_error(builder.error().message());
  fill(*builder);
  if (const auto info = builder->finish(); !info) throw std::runtime_error(info.error().message());
}

Pack open_pack(const std::string& path, ReadMode mode) {
  auto pack = Pack::open(path, mode);
  if (!pack) throw std::runtime_error(pack.error().message());
  return *pack;
}

std::vector<std::byte> read_host_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot read " + path);
  return bytes;
}

void write_host_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace packfs::testing
