#include "store/manifest.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/corruption.h"
#include "log/format.h"
#include "store/format.h"

namespace packfs::store {
namespace {

using content::corrupt_at;

constexpr std::uint64_t kMaxCommit = (std::uint64_t{1} << 63) - 1;
constexpr std::uint32_t kNanosecondsPerSecond = 1'000'000'000;

/// Over the header's bytes before it and all elements.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return base::xxh3(bytes.first(offsetof(ManifestHeader, checksum)), base::xxh3(bytes.subspan(sizeof(ManifestHeader))));
}

/// A rule that a segment breaks, if it breaks one. All but the last have an end.
const char* broken_rule(const SegmentEntry& segment, const SegmentEntry* before, bool is_last) {
  if (segment.id == 0 || segment.id == log::kBuiltSegmentId) return "a segment's id";
  if ((segment.end == 0) != is_last || segment.end % log::kRecordAlignment != 0) return "a segment's end";
  if (!is_last && segment.end < sizeof(log::FileHeader)) return "a segment's end";
  if (segment.base_commit > kMaxCommit || (before != nullptr && segment.base_commit < before->base_commit)) {
    return "a segment's base commit";
  }
  return nullptr;
}

Result<std::vector<SegmentEntry>> decode_segments(std::span<const std::byte> bytes) {
  std::vector<SegmentEntry> segments(bytes.size() / sizeof(SegmentElement));
  for (std::size_t i = 0; i < segments.size(); ++i) {
    SegmentElement element;
    std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
    segments[i] = {element.segment_id.get(), element.end.get(), element.base_commit.get()};
    const char* broken = broken_rule(segments[i], i == 0 ? nullptr : &segments[i - 1], i + 1 == segments.size());
    if (element.reserved.get() != 0) broken = "a reserved field is not zero";
    if (broken != nullptr) return corrupt_at(sizeof(ManifestHeader) + i * sizeof element, broken);
  }
  return segments;
}

}  // namespace

std::vector<std::byte> encode_manifest(const Manifest& manifest) {
  ManifestHeader header{};
  header.magic = kManifestMagic;
  header.version.set(kManifestVersion);
  header.segment_count.set(static_cast<std::uint32_t>(manifest.segments.size()));
  header.store_id.set(manifest.store_id);
  header.generation.set(manifest.generation);
  header.created_seconds.set(static_cast<std::uint64_t>(manifest.created.seconds));
  header.created_nanoseconds.set(manifest.created.nanoseconds);
  header.uid.set(manifest.uid);
  header.gid.set(manifest.gid);
  std::vector<std::byte> bytes(sizeof header + manifest.segments.size() * sizeof(SegmentElement));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::byte* at = bytes.data() + sizeof header;
  for (const SegmentEntry& segment : manifest.segments) {
    SegmentElement element{};
    element.segment_id.set(segment.id);
    element.end.set(segment.end);
    element.base_commit.set(segment.base_commit);
    std::memcpy(at, &element, sizeof element);
    at += sizeof element;
  }
  base::store_le(bytes.data() + offsetof(ManifestHeader, checksum), checksum_of(bytes));
  return bytes;
}

Result<Manifest> decode_manifest(std::span<const std::byte> bytes) {
  if (bytes.empty()) return corrupt_at(0, "not a manifest");
  ManifestHeader header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (bytes.size() < sizeof header.magic || header.magic != kManifestMagic) return corrupt_at(0, "not a manifest");
  if (bytes.size() < sizeof header) return corrupt_at(bytes.size(), "the manifest is cut off");
  if (header.version.get() != kManifestVersion) {
    return std::unexpected(
        Error(ErrorCode::unsupported_version).with_offset(offsetof(ManifestHeader, version)).with_note("manifest"));
  }
  const std::uint64_t count = header.segment_count.get();
  if (count == 0 || bytes.size() != sizeof header + count * sizeof(SegmentElement)) {
    return corrupt_at(offsetof(ManifestHeader, segment_count), "the manifest has another length");
  }
  if (checksum_of(bytes) != header.checksum.get()) {
    return corrupt_at(offsetof(ManifestHeader, checksum), "the manifest does not match its checksum");
  }
  if (header.reserved.get() != 0) return corrupt_at(offsetof(ManifestHeader, reserved), "a reserved field is not zero");
  if (header.created_nanoseconds.get() >= kNanosecondsPerSecond) {
    return corrupt_at(offsetof(ManifestHeader, created_nanoseconds), "nanoseconds");
  }
  auto segments = decode_segments(bytes.subspan(sizeof header));
  if (!segments) return std::unexpected(std::move(segments.error()));
  return Manifest{
      .store_id = header.store_id.get(),
      .generation = header.generation.get(),
      .created = {static_cast<std::int64_t>(header.created_seconds.get()), header.created_nanoseconds.get()},
      .uid = header.uid.get(),
      .gid = header.gid.get(),
      .segments = std::move(*segments)};
}

}  // namespace packfs::store
