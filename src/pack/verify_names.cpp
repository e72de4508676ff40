#include "pack/verify_names.h"

#include <algorithm>
#include <utility>

#include "pack/verify_path.h"

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

void NameVerifier::check(const log::Record& record, std::uint64_t offset, const content::Stored& stored) {
  const auto node = find(record);
  if (!node && node.error().code() == ErrorCode::no_entry) {
    return fail(record, offset, "a record that the index does not have");
  }
  if (!node) {
    log_.damage_at(node.error(), [&] { return path_in_pack(reader_, record.parent, record.name); });
    return;
  }
  if (!is_new(node->entry)) return fail(record, offset, "a name that another record has");
  if (record.type == RecordType::link) ++links_;
  if (const char* what = difference(record, *node, stored)) return fail(record, offset, what);
  if (record.type != RecordType::symlink) return;
  if (const auto target = reader_.readlink(*node); !target) {
    log_.damage_at(target.error(), [&] { return path_in_pack(reader_, record.parent, record.name); });
  }
}

Result<Node> NameVerifier::find(const log::Record& record) {
  if (record.name.empty()) return reader_.root();
  ++names_;
  const auto parent = reader_.directory(record.parent);
  if (!parent) return std::unexpected(parent.error());
  return reader_.find({.type = FileType::directory, .entry = parent->self_entry, .directory = record.parent},
                      record.name);
}

bool NameVerifier::is_new(std::uint64_t entry) {
  const std::uint64_t position = entry / kEntryAlignment;
  if (seen_.empty()) seen_.resize(reader_.pages().length(Section::entries) / kEntryAlignment + 1);
  if (seen_[position]) return false;
  seen_[position] = true;
  return true;
}

void NameVerifier::finish() {
  const Layout& layout = reader_.layout();
  const auto fail_footer = [&](std::size_t field, std::string_view what) {
    log_.damage(Error(ErrorCode::corrupt).with_offset(layout.total_length - sizeof(Footer) + field).with_note(what));
  };
  if (names_ != layout.entry_count) fail_footer(offsetof(Footer, entry_count), "names that the log does not have");
  const std::uint64_t groups = reader_.pages().length(Section::links) / sizeof(LinkElement);
  if (links_ != layout.total_linked - groups) {
    fail_footer(offsetof(Footer, total_linked), "links that the log does not have");
  }
}

void NameVerifier::fail(const log::Record& record, std::uint64_t offset, std::string_view what) {
  Error error = Error(ErrorCode::corrupt).with_offset(offset).with_note(what);
  if ((record.fields & log::kParent) == 0) return log_.damage(std::move(error));
  log_.damage_at(std::move(error), [&] { return path_in_pack(reader_, record.parent, record.name); });
}

/// In what the index tells something else than the record; null when it is the same.
const char* NameVerifier::difference(const log::Record& record, const Node& node, const content::Stored& stored) const {
  const auto stat = reader_.stat(node);
  if (!stat) return nullptr;  // reported with the index
  if (stat->inode != record.inode) return "the index has another inode number";
  if (record.type == RecordType::link) {
    return stat->link_id == record.link_id ? nullptr : "the index has another link id";
  }
  if (stat->type != type_of(record)) return "the index has another type";
  if (record.type == RecordType::mkdir && node.directory != record.directory) return "another directory number";
  if (const char* what = attribute_difference(record, node, *stat)) return what;
  return content_difference(record, node, stored);
}

const char* NameVerifier::attribute_difference(const log::Record& record, const Node& node, const Stat& stat) const {
  if (stat.mode != record.mode || stat.uid != record.uid || stat.gid != record.gid || stat.mtime != record.mtime ||
      stat.ctime != record.ctime) {
    return "the index has other attributes";
  }
  if (stat.change_commit != record.commit) return "the index has another change commit";
  if (stat.device_major != record.device_major || stat.device_minor != record.device_minor) {
    return "the index has another device number";
  }
  const auto same = same_xattrs(record, node);
  return same && !*same ? "the index has other extended attributes" : nullptr;
}

const char* NameVerifier::content_difference(const log::Record& record, const Node& node,
                                             const content::Stored& stored) const {
  if (record.type == RecordType::mkdir || record.type == RecordType::special) return nullptr;
  const auto entry = reader_.entry(node.entry);
  if (!entry) return nullptr;  // reported with the index, as is content in another file
  const auto indexed = reader_.stored(*entry, node.entry);
  if (!indexed) return nullptr;
  // A run of which its source left nothing is no content at all.
  const bool is_lost = stored.form == Form::run && stored.size == 0 && stored.stored_length != 0;
  const Form form = is_lost ? Form::none : stored.form;
  if (indexed->form != form) return "the index has another form of content";
  if (indexed->size != stored.size) return "the index has another size";
  if (indexed->form == Form::none) return nullptr;
  if (indexed->location != stored.location) return "the index has another content";
  if (indexed->form != Form::packed && indexed->stored_length != stored.stored_length) {
    return "the index has another stored length";
  }
  return nullptr;
}

Result<bool> NameVerifier::same_xattrs(const log::Record& record, const Node& node) const {
  const auto entry = reader_.entry(node.entry);
  if (!entry) return std::unexpected(entry.error());
  if (!entry->has(kHasXattrs)) return record.xattrs.empty();
  // Lists may be shared, records are not: comparing stops where they differ, so it costs what the record holds.
  auto list = reader_.xattr_list(*entry, node.entry);
  if (!list) return std::unexpected(std::move(list.error()));
  for (const log::XattrRef& ours : record.xattrs) {
    const auto theirs = list->next();
    if (!theirs || theirs->name != ours.name || !std::ranges::equal(theirs->value, ours.value)) return false;
  }
  return list->is_sound() && !record.xattrs.empty();
}

}  // namespace packfs::pack
