#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/unique_fd.h"
#include "content/source.h"
#include "content/stored.h"
#include "fuzz/reseal.h"
#include "log/record_content.h"
#include "log/scanner.h"
#include "support/memory_io.h"

// Scans any bytes as records, behind a file header's room, and reads what contents they claim to have: as they are, and
// with their checksums made good. The scan must go forward and end.
namespace {

using namespace packfs;

void read_some(const content::StoredReader& reader, const content::Stored& stored) {
  std::array<std::byte, 4096> buffer;
  for (const std::uint64_t offset : {std::uint64_t{0}, stored.size / 2, stored.size - 1, stored.size}) {
    const auto read = reader.read(stored, offset, buffer);
    if (read && *read > buffer.size()) std::abort();
  }
  const auto data = reader.next_data(stored, 0);
  if (data && (data->begin > data->end || data->end > stored.size)) std::abort();
}

void check(std::span<const std::byte> bytes, bool map) {
  testing::MemoryIo io(bytes);
  auto opened = content::Source::open(io, base::unique_fd(io, testing::MemoryIo::kDescriptor), bytes.size(), map);
  if (!opened) return;
  const content::Source& source = **opened;
  auto contents = content::StoredReader::make(source, 0, source.length());
  if (!contents) return;
  log::Scanner scanner(source, log::kBuiltSegmentId, sizeof(log::FileHeader), source.length());
  base::Xxh3Stream128 checksums;
  std::uint64_t before = scanner.position();
  while (true) {
    const auto next = scanner.next();
    if (!next || !*next) return;
    if (scanner.position() < before + sizeof(log::RecordHeader) || scanner.position() > bytes.size()) std::abort();
    before = scanner.position();
    const auto good = log::verify_content(source, **contents, **next);
    const auto added = log::add_to_pack_id(source, **next, checksums);
    const auto is_void = log::is_void(source, **next);
    const auto stored = log::stored_content(source, **next);
    if (stored) read_some(**contents, *stored);
    // Any content may be taken for a map of extents.
    read_some(**contents, {.form = content::Form::chained,
                           .size = (*next)->record.size,
                           .location = (*next)->extent.content_begin,
                           .stored_length = (*next)->record.content_length});
    if (good && (!added || !is_void || !stored)) std::abort();
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < sizeof(log::FileHeader)) return 0;
  const auto raw = std::as_bytes(std::span(data, size));
  check(raw, size % 2 == 0);
  std::vector<std::byte> sealed(raw.begin(), raw.end());
  testing::reseal_records(sealed, sizeof(log::FileHeader), sealed.size());
  check(sealed, size % 2 == 0);
  return 0;
}
