#include "pack/verify_records.h"

#include <algorithm>
#include <array>
#include <utility>

#include "log/file_header.h"
#include "log/record_content.h"
#include "pack/verify_path.h"

namespace packfs::pack {
namespace {

using content::Form;
using log::RecordType;

Error corrupt(std::uint64_t offset, std::string_view what) {
  return Error(ErrorCode::corrupt).with_offset(offset).with_note(what);
}

}  // namespace

void RecordVerifier::run() {
  const Layout& layout = reader_.layout();
  const std::uint64_t end = layout.total_length - sizeof(Footer);
  auto contents = content::StoredReader::make(reader_.source(), sizeof(log::FileHeader), end);
  if (!contents) return log_.damage(std::move(contents.error()));
  contents_ = std::move(*contents);
  check_header();
  scan(sizeof(log::FileHeader), layout.log_end, true);
  if (!log_.failed()) scan(layout.log_end, end, false);
  if (!log_.failed()) check_footer();
}

void RecordVerifier::check_header() {
  std::array<std::byte, sizeof(log::FileHeader)> bytes;
  if (auto read = reader_.source().copy(0, bytes); !read) return log_.damage(std::move(read.error()));
  log_.advance(bytes.size());
  const auto header = log::decode_file_header(bytes);
  if (!header) return log_.damage(header.error());
  if (header->segment_id != reader_.layout().segment_id) {
    log_.damage(corrupt(offsetof(log::FileHeader, segment_id), "segment id"));
  }
  // A built pack continues nothing.
  if (header->segment_id != log::kBuiltSegmentId) return;
  if (header->previous_segment != 0 || header->previous_cut != 0 || header->base_commit != 0) {
    log_.damage(corrupt(offsetof(log::FileHeader, previous_segment), "a built pack that continues another"));
  }
}

/// The footer as it is now, and as the records say it must be.
void RecordVerifier::check_footer() {
  const Layout& layout = reader_.layout();
  const std::uint64_t begin = layout.total_length - sizeof(Footer);
  std::array<std::byte, sizeof(Footer)> bytes;
  if (auto read = reader_.source().copy(begin, bytes); !read) return log_.damage(std::move(read.error()));
  log_.advance(bytes.size());
  const auto footer = decode_footer(bytes, layout.total_length, layout.segment_id);
  if (!footer) return log_.damage(footer.error());
  if (!complete_) return;
  if (records_ != layout.record_count) log_.damage(corrupt(begin + offsetof(Footer, record_count), "record count"));
  if (last_commit_ != layout.last_commit) log_.damage(corrupt(begin + offsetof(Footer, last_commit), "last commit"));
  if (checksums_.digest() != footer->pack_id) log_.damage(corrupt(begin + offsetof(Footer, pack_id), "pack id"));
  names_.finish();
}

void RecordVerifier::scan(std::uint64_t begin, std::uint64_t end, bool is_log) {
  log::Scanner scanner(reader_.source(), reader_.layout().segment_id, begin, end);
  std::uint64_t told = begin;
  while (!log_.failed()) {
    auto next = scanner.next();
    if (!next) {
      complete_ = false;
      return log_.damage(std::move(next.error()));
    }
    if (!next->has_value()) break;
    const log::ScannedRecord& scanned = **next;
    ++log_.report().records_checked;
    if (auto added = log::add_to_pack_id(reader_.source(), scanned, checksums_); !added) {
      complete_ = false;
      log_.damage(std::move(added.error()));
    }
    last_commit_ = std::max(last_commit_, scanned.record.commit);
    if (is_log) {
      ++records_;
      check_log_record(scanned);
    } else {
      check_index_record(scanned);
    }
    // The index is read twice, as pages and as the contents of its records: those bytes are counted with the pages.
    const std::uint64_t length = scanner.position() - told;
    log_.advance(is_log ? length : length - std::min(length, scanned.record.content_length));
    told = scanner.position();
  }
  if (is_log && !committed_ && !log_.failed()) log_.damage(corrupt(end, "the log does not end with a commit"));
}

void RecordVerifier::check_log_record(const log::ScannedRecord& scanned) {
  const log::Record& record = scanned.record;
  if (committed_) names_.fail(record, scanned.offset, "a record behind the commit");
  if (chain_ && record.type != RecordType::extent && record.type != RecordType::extent_map) chain_.reset();
  if (records_ == 1 && (record.type != RecordType::mkdir || !record.name.empty())) {
    names_.fail(record, scanned.offset, "the first record is not the root's");
  }
  if (log::is_named_by_path(record)) {
    return names_.fail(record, scanned.offset, "a record that a built pack cannot hold");
  }
  switch (record.type) {
    case RecordType::mkdir:
    case RecordType::special:
    case RecordType::link:
      return names_.check(record, scanned.offset, {});
    case RecordType::put:
      if (record.form != Form::chained) return check_content(scanned);
      return begin_chain(scanned);
    case RecordType::symlink:
      return check_content(scanned);
    case RecordType::extent:
      return check_extent(scanned);
    case RecordType::extent_map:
      return end_chain(scanned);
    case RecordType::commit:
      return check_commit(scanned);
    default:
      names_.fail(record, scanned.offset, "a record that a built pack cannot hold");
  }
}

void RecordVerifier::damage_of(Error error, const log::Record& named) {
  log_.damage_at(std::move(error), [&] { return path_in_pack(reader_, named.parent, named.name); });
}

void RecordVerifier::check_content(const log::ScannedRecord& scanned) {
  const auto is_void = log::is_void(reader_.source(), scanned);
  if (!is_void) return log_.damage(is_void.error());
  if (*is_void) return;
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    damage_of(std::move(good.error()), scanned.record);
  }
  const auto stored = log::stored_content(reader_.source(), scanned);
  if (!stored) return log_.damage(stored.error());
  names_.check(scanned.record, scanned.offset, *stored);
}

void RecordVerifier::begin_chain(const log::ScannedRecord& scanned) {
  chain_ = Chain{};  // not emplace(): clang judges that from within the unfinished class and refuses
  chain_->put = scanned.record;
  chain_->offset = scanned.offset;
  chain_->name = scanned.record.name;
  for (const log::XattrRef& xattr : scanned.record.xattrs) {
    chain_->xattrs.push_back({std::string(xattr.name), {xattr.value.begin(), xattr.value.end()}});
  }
  // The put's views were the scanner's, which goes on.
  chain_->put.name = chain_->name;
  for (std::size_t i = 0; i < chain_->xattrs.size(); ++i) {
    chain_->put.xattrs[i] = {chain_->xattrs[i].name, chain_->xattrs[i].value};
  }
}

void RecordVerifier::check_extent(const log::ScannedRecord& scanned) {
  const log::Record& record = scanned.record;
  if (!chain_) return names_.fail(record, scanned.offset, "an extent that belongs to no file");
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    damage_of(std::move(good.error()), chain_->put);
  }
  if (record.offset < chain_->end) damage_of(corrupt(scanned.offset, "an extent out of order"), chain_->put);
  chain_->end = record.offset + record.size;  // below 2^63, as a rule of the record has it
  content::ExtentMapElement element;
  element.raw_offset.set(record.offset);
  element.form_and_raw_length.set(std::uint64_t{static_cast<std::uint8_t>(record.form)} << 60 | record.size);
  element.content_offset.set(scanned.extent.content_begin);
  chain_->extents.push_back(element);
}

void RecordVerifier::end_chain(const log::ScannedRecord& scanned) {
  if (!chain_) return names_.fail(scanned.record, scanned.offset, "an extent map that belongs to no file");
  const Chain& chain = *chain_;
  if (const auto stored = check_map(scanned, chain); !stored) {
    damage_of(stored.error(), chain.put);
  } else {
    names_.check(chain.put, chain.offset, *stored);
  }
  chain_.reset();
}

Result<content::Stored> RecordVerifier::check_map(const log::ScannedRecord& scanned, const Chain& chain) const {
  const log::Record& record = scanned.record;
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    return std::unexpected(std::move(good.error()));
  }
  base::Buffer scratch;
  const auto map = reader_.source().at(scanned.extent.content_begin, record.content_length, scratch);
  if (!map) return std::unexpected(map.error());
  if (!std::ranges::equal(*map, std::as_bytes(std::span(chain.extents)))) {
    return std::unexpected(corrupt(scanned.extent.content_begin, "an extent map that is not that of its extents"));
  }
  const bool put_has_size = (chain.put.fields & log::kSize) != 0;
  if (chain.end > record.size || (put_has_size && chain.put.size != record.size)) {
    return std::unexpected(corrupt(scanned.offset, "an extent map's size"));
  }
  return content::Stored{.form = Form::chained,
                         .size = record.size,
                         .location = record.form == Form::none ? 0 : scanned.extent.content_begin,
                         .stored_length = record.content_length};
}

void RecordVerifier::check_commit(const log::ScannedRecord& scanned) {
  const log::Record& record = scanned.record;
  committed_ = true;
  if (record.group_offset != sizeof(log::FileHeader) || record.group_records != records_ - 1) {
    names_.fail(record, scanned.offset, "a commit of other records than those before it");
  }
  const bool was_journal = record.synced_end != 0 || last_commit_ != 0 || (record.fields & log::kFlags) != 0;
  if (reader_.layout().segment_id == log::kBuiltSegmentId && was_journal) {
    names_.fail(record, scanned.offset, "a built pack that was synced, or has commits");
  }
}

void RecordVerifier::check_index_record(const log::ScannedRecord& scanned) {
  const log::Record& record = scanned.record;
  if (record.type != RecordType::index || record.section == 0 || record.section > kSections) {
    return names_.fail(record, scanned.offset, "a record that an index cannot hold");
  }
  const Layout::Range& range = reader_.layout().section(static_cast<Section>(record.section));
  if (range.offset != scanned.extent.content_begin || range.length != record.content_length) {
    names_.fail(record, scanned.offset, "a section that the footer places elsewhere");
  }
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    log_.damage(std::move(good.error()));
  }
}

}  // namespace packfs::pack
