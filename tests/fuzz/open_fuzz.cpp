#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "fuzz/reseal.h"
#include "hostile/verdict.h"

// Opens any bytes as a pack, asks for everything in it and verifies it, in both read modes: as they are, and with their
// checksums made good. It may be refused or damaged; it may not crash, loop, or give an error that names no place.
namespace {

using namespace packfs;

void check(std::span<const std::byte> bytes, ReadMode mode) {
  const testing::Verdict verdict = testing::judge(bytes, mode, {"a", "a/b", "link/x"});
  for (const auto& offence : verdict.offences) std::fprintf(stderr, "%s\n", offence.c_str());
  if (!verdict.offences.empty()) std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto raw = std::as_bytes(std::span(data, size));
  const ReadMode mode = size % 2 == 0 ? ReadMode::mmap : ReadMode::pread;
  check(raw, mode);
  std::vector<std::byte> sealed(raw.begin(), raw.end());
  testing::reseal(sealed);
  check(sealed, mode);
  return 0;
}
