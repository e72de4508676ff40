#include "pack/content_writer.h"

#include <algorithm>
#include <array>

#include "content/encode.h"

namespace packfs::pack {

namespace {

using content::Form;
using content::Stored;

constexpr std::size_t kWindowBytes = ContentFeed::kWindowBytes;
static_assert(kWindowBytes <= content::kSourceLengthAbove, "a run that fails midway must have a source length");
static_assert(kWindowBytes <= content::kMaxExtentBytes);
constexpr unsigned kBlockLog2 = 18;
constexpr std::uint64_t kSamples = 4;

constexpr std::uint64_t hole_floor(std::uint64_t offset) { return offset & ~(content::kHoleBytes - 1); }

}  // namespace

Result<ContentWriter> ContentWriter::make(LogWriter& log, const Codec& codec) {
  ContentWriter writer(log, codec);
  if (codec.kind == Codec::Kind::zstd) {
    auto compressor = content::Compressor::make();
    if (!compressor) return std::unexpected(compressor.error());
    writer.compressor_.emplace(std::move(*compressor));
  }
  return writer;
}

Result<Stored> ContentWriter::store(log::Record& record, tree::ContentSource& source) {
  ContentFeed feed(source, window_);
  const auto first = feed.first();
  if (!first) return std::unexpected(first.error());
  if (feed.is_whole()) return store_small(record, *first);
  const auto compress = compressible(feed, *first);
  if (!compress) return std::unexpected(compress.error());
  if (*compress || !feed.is_rewindable()) return store_chain(record, feed, *compress);

  const auto hole = find_hole(feed);
  if (!hole) return std::unexpected(hole.error());
  if (*hole) return store_chain(record, feed, false);
  if (feed.limit() > kWindowBytes) return store_run(record, feed);
  // It shrank while it was looked through.
  const auto rest = feed.read(0, static_cast<std::size_t>(feed.limit()));
  if (!rest) return std::unexpected(rest.error());
  return store_small(record, *rest);
}

Result<Stored> ContentWriter::store_small(log::Record& record, std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    if (auto put = log_->append(record); !put) return std::unexpected(put.error());
    return Stored{};
  }
  bool compress = compressor_.has_value();
  if (compress && bytes.size() > kSamples * content::Compressor::kSampleBytes) {
    const auto worthwhile = compressible(bytes);
    if (!worthwhile) return std::unexpected(worthwhile.error());
    compress = *worthwhile;
  }
  if (content::leading_data(bytes) < bytes.size()) {
    record.form = Form::chained;
    map_.clear();
    if (auto put = log_->append(record); !put) return std::unexpected(put.error());
    if (auto written = write_extents(0, bytes, compress); !written) return std::unexpected(written.error());
    return end_chain(bytes.size());
  }
  std::span<const std::byte> frame;
  if (compress) {
    const auto made = packed(bytes);
    if (!made) return std::unexpected(made.error());
    frame = *made;
  }
  if (!frame.empty()) {
    record.size = bytes.size();
    record.fields |= log::kSize;
  }
  const auto location = frame.empty() ? log_->append_run(record, bytes) : log_->append_packed(record, frame);
  if (!location) return std::unexpected(location.error());
  return Stored{.form = record.form, .size = bytes.size(), .location = *location, .stored_length = bytes.size()};
}

Result<Stored> ContentWriter::store_run(log::Record& record, ContentFeed& feed) {
  static constexpr std::array<std::byte, 65536> kFiller{};
  const std::uint64_t length = feed.limit();
  const auto location = log_->begin_run(record, length);
  if (!location) return std::unexpected(location.error());
  std::optional<Error> failure;
  std::uint64_t size = 0;
  while (size < length) {
    const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(length - size, kWindowBytes));
    const auto window = feed.read(size, want);
    if (!window) {
      failure = window.error();
      break;
    }
    if (auto added = log_->add_to_run(*window); !added) return std::unexpected(added.error());
    size += window->size();
    if (window->size() < want) break;
  }
  for (std::uint64_t at = size; at < length;) {
    const auto filler = std::span(kFiller).first(std::min<std::uint64_t>(length - at, kFiller.size()));
    if (auto added = log_->add_to_run(filler); !added) return std::unexpected(added.error());
    at += filler.size();
  }
  const auto ended = log_->end_run(failure ? content::kSourceFailed : size);
  if (!ended) return std::unexpected(ended.error());
  if (failure) return std::unexpected(*failure);
  if (size == 0) return Stored{};
  return Stored{.form = Form::run, .size = size, .location = *location, .stored_length = length};
}

// An error of the source leaves a put without an extent map, which does not count.
Result<Stored> ContentWriter::store_chain(log::Record& record, ContentFeed& feed, bool compress) {
  record.form = Form::chained;
  map_.clear();
  if (auto put = log_->append(record); !put) return std::unexpected(put.error());
  std::uint64_t size = 0;
  while (size < feed.limit()) {
    const auto data = feed.next_data(size);
    if (!data) return std::unexpected(data.error());
    size = std::max(size, hole_floor(*data));
    const std::uint64_t want = std::min(feed.limit() - size, kWindowBytes - size % kWindowBytes);
    const auto window = feed.read(size, static_cast<std::size_t>(want));
    if (!window) return std::unexpected(window.error());
    if (auto written = write_extents(size, *window, compress); !written) return std::unexpected(written.error());
    size += window->size();
    if (window->size() < want) break;
  }
  return end_chain(size);
}

Result<Stored> ContentWriter::end_chain(std::uint64_t size) {
  log::Record record;
  record.type = log::RecordType::extent_map;
  record.fields = log::kSize;
  record.size = size;
  const auto elements = std::as_bytes(std::span(map_));
  Stored stored{.form = Form::chained, .size = size, .location = 0, .stored_length = elements.size()};
  if (elements.empty()) {
    if (auto written = log_->append(record); !written) return std::unexpected(written.error());
    return stored;
  }
  const auto location = log_->append_run(record, elements);
  if (!location) return std::unexpected(location.error());
  stored.location = *location;
  return stored;
}

Result<void> ContentWriter::write_extents(std::uint64_t offset, std::span<const std::byte> window, bool compress) {
  std::size_t at = content::leading_hole(window);
  while (at < window.size()) {
    const auto data = window.subspan(at, content::leading_data(window.subspan(at)));
    if (auto written = write_extent(offset + at, data, compress); !written) return written;
    at += data.size();
    at += content::leading_hole(window.subspan(at));
  }
  return {};
}

Result<void> ContentWriter::write_extent(std::uint64_t offset, std::span<const std::byte> data, bool compress) {
  log::Record record;
  record.type = log::RecordType::extent;
  record.fields = log::kSize | log::kOffset;
  record.offset = offset;
  record.size = data.size();
  std::span<const std::byte> frame;
  if (compress) {
    const auto made = packed(data);
    if (!made) return std::unexpected(made.error());
    frame = *made;
  }
  const auto location = frame.empty() ? log_->append_run(record, data) : log_->append_packed(record, frame);
  if (!location) return std::unexpected(location.error());
  content::ExtentMapElement element;
  element.raw_offset.set(offset);
  element.form_and_raw_length.set(static_cast<std::uint64_t>(record.form) << 60 | data.size());
  element.content_offset.set(*location);
  map_.push_back(element);
  return {};
}

/// Whether a rewindable content has a hole; shortens the feed to what is there.
Result<bool> ContentWriter::find_hole(ContentFeed& feed) {
  std::uint64_t at = 0;
  while (at < feed.limit()) {
    const auto data = feed.next_data(at);
    if (!data) return std::unexpected(data.error());
    if (hole_floor(*data) > at) return true;
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(feed.limit() - at, kWindowBytes));
    const auto window = feed.read(at, want);
    if (!window) return std::unexpected(window.error());
    if (content::leading_data(*window) < window->size()) return true;
    at += window->size();
    if (window->size() < want) feed.shorten(at);
  }
  return false;
}

/// Looks at samples from all over a rewindable content, but of a stream at those from its first window only.
Result<bool> ContentWriter::compressible(ContentFeed& feed, std::span<const std::byte> first) {
  if (!compressor_) return false;
  if (!feed.is_rewindable()) return compressible(first);
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const auto sample = feed.read(feed.limit() / kSamples * i, content::Compressor::kSampleBytes);
    if (!sample) return std::unexpected(sample.error());
    const auto compresses = compressor_->looks_compressible(*sample);
    if (!compresses || *compresses) return compresses;
  }
  return false;
}

Result<bool> ContentWriter::compressible(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < kSamples; ++i) {
    const auto compresses = compressor_->looks_compressible(bytes.subspan(bytes.size() / kSamples * i));
    if (!compresses || *compresses) return compresses;
  }
  return false;
}

/// `raw` in packed form; empty when a run is as good.
Result<std::span<const std::byte>> ContentWriter::packed(std::span<const std::byte> raw) {
  packed_.clear();
  const auto saves = content::encode_packed(raw, codec_.level, kBlockLog2, *compressor_, packed_);
  if (!saves) return std::unexpected(saves.error());
  return *saves ? std::span<const std::byte>(packed_) : std::span<const std::byte>();
}

}  // namespace packfs::pack
