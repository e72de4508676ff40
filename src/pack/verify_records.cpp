#include "pack/verify_records.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "log/file_header.h"
#include "log/record_content.h"
#include "pack/verify_index.h"

namespace packfs::pack {
namespace {

using content::Form;
using log::RecordType;

FileType type_of(const log::Record& record) {
  switch (record.type) {
    case RecordType::mkdir:
      return FileType::directory;
    case RecordType::put:
      return FileType::regular;
    case RecordType::symlink:
      return FileType::symlink;
    default:
      return record.kind;
  }
}

}  // namespace

void RecordVerifier::run() {
  const Layout& layout = reader_.layout();
  auto contents =
      content::StoredReader::make(reader_.source(), sizeof(log::FileHeader), layout.total_length - sizeof(Footer));
  if (!contents) return log_.damage(std::move(contents.error()));
  contents_ = std::move(*contents);
  log_.advance(sizeof(log::FileHeader));
  scan(sizeof(log::FileHeader), layout.log_end, true);
  if (!log_.failed()) scan(layout.log_end, layout.total_length - sizeof(Footer), false);
  log_.advance(sizeof(Footer));
  if (log_.failed() || !complete_) return;

  const auto fail_footer = [&](std::size_t field, std::string_view what) {
    log_.damage(Error(ErrorCode::corrupt).with_offset(layout.total_length - sizeof(Footer) + field).with_note(what));
  };
  if (records_ != layout.record_count) fail_footer(offsetof(Footer, record_count), "record count");
  if (names_ != layout.entry_count) fail_footer(offsetof(Footer, entry_count), "names that the log does not have");
  if (checksums_.digest() != layout.pack_id) fail_footer(offsetof(Footer, pack_id), "pack id");
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
    if (is_log) {
      ++records_;
      check_log_record(scanned);
    } else {
      check_index_record(scanned);
    }
    log_.advance(scanner.position() - told);
    told = scanner.position();
  }
  if (is_log && !committed_ && !log_.failed()) {
    log_.damage(Error(ErrorCode::corrupt).with_offset(end).with_note("the log does not end with a commit"));
  }
}

void RecordVerifier::check_log_record(const log::ScannedRecord& scanned) {
  const log::Record& record = scanned.record;
  if (committed_) fail(record, scanned.offset, "a record behind the commit");
  if (chain_ && record.type != RecordType::extent && record.type != RecordType::extent_map) chain_.reset();
  if (records_ == 1 && (record.type != RecordType::mkdir || !record.name.empty())) {
    fail(record, scanned.offset, "the first record is not the root's");
  }
  switch (record.type) {
    case RecordType::mkdir:
    case RecordType::special:
    case RecordType::link:
      return check_name(record, scanned.offset, {});
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
      fail(record, scanned.offset, "a record that a built pack cannot hold");
  }
}

void RecordVerifier::check_content(const log::ScannedRecord& scanned) {
  const auto is_void = log::is_void(reader_.source(), scanned);
  if (!is_void) return log_.damage(is_void.error());
  if (*is_void) return;
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    log_.damage(good.error().with_path(path_in_pack(reader_, scanned.record.parent, scanned.record.name)));
  }
  const auto stored = log::stored_content(reader_.source(), scanned);
  if (!stored) return log_.damage(stored.error());
  check_name(scanned.record, scanned.offset, *stored);
}

void RecordVerifier::begin_chain(const log::ScannedRecord& scanned) {
  chain_ = Chain{};  // not emplace(): clang judges that from within the unfinished class and refuses
  chain_->put = scanned.record;
  chain_->offset = scanned.offset;
  chain_->name = scanned.record.name;
  for (const log::XattrRef& xattr : scanned.record.xattrs) {
    chain_->xattrs.push_back({std::string(xattr.name), {xattr.value.begin(), xattr.value.end()}});
  }
}

void RecordVerifier::check_extent(const log::ScannedRecord& scanned) {
  if (!chain_) return fail(scanned.record, scanned.offset, "an extent that belongs to no file");
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    log_.damage(good.error().with_path(path_in_pack(reader_, chain_->put.parent, chain_->name)));
  }
  content::ExtentMapElement element;
  element.raw_offset.set(scanned.record.offset);
  element.form_and_raw_length.set(std::uint64_t{static_cast<std::uint8_t>(scanned.record.form)} << 60 |
                                  scanned.record.size);
  element.content_offset.set(scanned.extent.content_begin);
  chain_->extents.push_back(element);
}

void RecordVerifier::end_chain(const log::ScannedRecord& scanned) {
  if (!chain_) return fail(scanned.record, scanned.offset, "an extent map that belongs to no file");
  Chain chain = std::move(*chain_);
  chain_.reset();
  // The put's views were the scanner's, which has gone on since.
  chain.put.name = chain.name;
  for (std::size_t i = 0; i < chain.xattrs.size(); ++i) {
    chain.put.xattrs[i] = {chain.xattrs[i].name, chain.xattrs[i].value};
  }
  const std::string path = path_in_pack(reader_, chain.put.parent, chain.name);
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    return log_.damage(good.error().with_path(path));
  }
  const content::Stored stored{.form = Form::chained,
                               .size = scanned.record.size,
                               .location = scanned.record.form == Form::none ? 0 : scanned.extent.content_begin,
                               .stored_length = scanned.record.content_length};
  base::Buffer scratch;
  const auto map = reader_.source().at(scanned.extent.content_begin, scanned.record.content_length, scratch);
  if (!map) return log_.damage(map.error());
  const auto expected = std::as_bytes(std::span(chain.extents));
  if (!std::ranges::equal(*map, expected)) {
    return log_.damage(Error(ErrorCode::corrupt)
                           .with_offset(scanned.extent.content_begin)
                           .with_note("an extent map that is not that of its extents")
                           .with_path(path));
  }
  check_name(chain.put, chain.offset, stored);
}

void RecordVerifier::check_name(const log::Record& record, std::uint64_t offset, const content::Stored& stored) {
  const bool is_root = record.type == RecordType::mkdir && record.name.empty();
  Node node{FileType::directory, 0, 0};
  if (!is_root) {
    ++names_;
    const auto parent = reader_.directory(record.parent);
    if (!parent) return fail(record, offset, "a record in a directory that is not there");
    const auto found = reader_.find({FileType::directory, parent->self_entry, record.parent}, record.name);
    if (!found && found.error().code() == ErrorCode::no_entry) {
      return fail(record, offset, "a record that the index does not have");
    }
    if (!found) return log_.damage(found.error().with_path(path_in_pack(reader_, record.parent, record.name)));
    node = *found;
  }
  if (const char* what = difference(record, node, stored)) fail(record, offset, what);
}

/// In what the index tells something else than the record; null when it is the same.
const char* RecordVerifier::difference(const log::Record& record, const Node& node,
                                       const content::Stored& stored) const {
  const auto stat = reader_.stat(node);
  const auto entry = reader_.entry(node.entry);
  if (!stat || !entry) return nullptr;  // reported with the index
  if (stat->inode != record.inode) return "the index has another inode number";
  if (record.type == RecordType::link) {
    return stat->link_id == record.link_id ? nullptr : "the index has another link id";
  }
  if (stat->type != type_of(record)) return "the index has another type";
  if (record.type == RecordType::mkdir && node.directory != record.directory) return "another directory number";
  if (stat->mode != record.mode || stat->uid != record.uid || stat->gid != record.gid || stat->mtime != record.mtime) {
    return "the index has other attributes";
  }
  if (stat->device_major != record.device_major || stat->device_minor != record.device_minor) {
    return "the index has another device number";
  }
  const auto same = same_xattrs(record, node);
  if (same && !*same) return "the index has other extended attributes";
  const auto indexed = reader_.stored(*entry, node.entry);
  if (!indexed || record.type == RecordType::mkdir || record.type == RecordType::special) return nullptr;
  if (indexed->form != stored.form && stored.size != 0) return "the index has another form of content";
  if (indexed->size != stored.size) return "the index has another size";
  if (indexed->form != Form::none && indexed->location != stored.location) return "the index has another content";
  return nullptr;
}

Result<bool> RecordVerifier::same_xattrs(const log::Record& record, const Node& node) const {
  const auto indexed = reader_.xattrs(node);
  if (!indexed) return std::unexpected(indexed.error());
  return std::ranges::equal(record.xattrs, *indexed, [](const log::XattrRef& ours, const Xattr& theirs) {
    return ours.name == theirs.name && std::ranges::equal(ours.value, theirs.value);
  });
}

void RecordVerifier::check_commit(const log::ScannedRecord& scanned) {
  committed_ = true;
  if (scanned.record.group_offset != sizeof(log::FileHeader) || scanned.record.group_records != records_ - 1) {
    fail(scanned.record, scanned.offset, "a commit of other records than those before it");
  }
}

void RecordVerifier::check_index_record(const log::ScannedRecord& scanned) {
  const log::Record& record = scanned.record;
  if (record.type != RecordType::index || record.section == 0 || record.section > kSections) {
    return fail(record, scanned.offset, "a record that an index cannot hold");
  }
  const Layout::Range& range = reader_.layout().section(static_cast<Section>(record.section));
  if (range.offset != scanned.extent.content_begin || range.length != record.content_length) {
    fail(record, scanned.offset, "a section that the footer places elsewhere");
  }
  if (auto good = log::verify_content(reader_.source(), *contents_, scanned); !good) {
    log_.damage(std::move(good.error()));
  }
}

void RecordVerifier::fail(const log::Record& record, std::uint64_t offset, std::string_view what) {
  Error error = Error(ErrorCode::corrupt).with_offset(offset).with_note(what);
  const bool named = (record.fields & log::kParent) != 0;
  log_.damage(named ? error.with_path(path_in_pack(reader_, record.parent, record.name)) : error);
}

}  // namespace packfs::pack
