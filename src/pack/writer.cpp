#include "pack/writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "pack/index_writer.h"
#include "path/path.h"

namespace packfs::pack {

namespace {

constexpr int kMaxLevel = 19;
constexpr std::size_t kMaxTarget = std::size_t{1} << 20;

bool is_device(FileType type) noexcept { return type == FileType::character_device || type == FileType::block_device; }

bool is_special(FileType type) noexcept {
  return is_device(type) || type == FileType::fifo || type == FileType::socket;
}

}  // namespace

Writer::Writer(base::Io& io, int fd, const BuildOptions& options, std::uint64_t seed)
    : output_(io, fd), log_(output_), items_(seed), root_(options.root) {}

Result<std::unique_ptr<Writer>> Writer::create(base::Io& io, int fd, const BuildOptions& options) {
  if (options.codec.kind == Codec::Kind::zstd && (options.codec.level < 1 || options.codec.level > kMaxLevel)) {
    return std::unexpected(Error(ErrorCode::invalid).with_note("zstd levels are 1 to 19"));
  }
  std::uint64_t seed = 0;
  // Without random bytes the seed is merely one that can be foreseen.
  io.getrandom(&seed, sizeof seed);
  std::unique_ptr<Writer> writer(new Writer(io, fd, options, seed));
  auto contents = ContentWriter::make(writer->log_, options.codec);
  if (!contents) return std::unexpected(contents.error());
  writer->contents_.emplace(std::move(*contents));
  if (auto header = writer->log_.write_file_header(); !header) return std::unexpected(header.error());
  return writer;
}

/// What throws on the way leaves the writer closed: log and table may no longer agree.
template <class Operation>
auto Writer::guarded(Operation operation) -> decltype(operation()) {
  if (closed_) return std::unexpected(*closed_);
  if (output_.error()) return std::unexpected(*output_.error());
  closed_ = Error(ErrorCode::poisoned);
  auto result = operation();
  closed_.reset();
  return result;
}

log::Record Writer::node_record(log::RecordType type, DirectoryId parent, std::string_view name,
                                const Attributes& attributes) const {
  log::Record record;
  record.type = type;
  record.name = name;
  record.fields = log::kInode | log::kMode | log::kOwner | log::kMtime;
  if (!name.empty()) {
    record.fields |= log::kParent;
    record.parent = static_cast<std::uint64_t>(parent);
  }
  record.inode = next_inode_;
  record.mode = attributes.mode;
  record.uid = attributes.uid;
  record.gid = attributes.gid;
  record.mtime = attributes.mtime;
  if (attributes.xattrs.empty()) return record;
  record.fields |= log::kXattrs;
  for (const Xattr& xattr : attributes.xattrs) record.xattrs.push_back({xattr.name, xattr.value});
  std::ranges::sort(record.xattrs, {}, &log::XattrRef::name);
  return record;
}

Item Writer::node_item(FileType type, const log::Record& record) {
  Item item;
  item.directory = record.parent;
  item.name = record.name;
  item.type = type;
  item.attribute_set = interned_.attribute_set(record.mode, record.uid, record.gid);
  item.inode = record.inode;
  item.mtime = record.mtime;
  if (!record.xattrs.empty()) item.xattrs = interned_.xattr_list(record.xattrs);
  return item;
}

ItemRef Writer::keep(const Item& item) {
  ++next_inode_;
  return items_.add(item);
}

Result<void> Writer::write_root(const Attributes& attributes) {
  auto record = node_record(log::RecordType::mkdir, kRoot, {}, attributes);
  record.fields |= log::kDirectory;
  if (auto written = log_.append(record); !written) return std::unexpected(written.error());
  items_.add_root(node_item(FileType::directory, record));
  has_root_ = true;
  ++next_inode_;
  return {};
}

/// What every add does first: the root is there, the name fits and is free.
Result<void> Writer::begin(DirectoryId parent, std::string_view name) {
  if (!has_root_) {
    if (auto root = write_root(root_); !root) return root;
  }
  const auto directory = static_cast<std::uint64_t>(parent);
  if (directory >= items_.directories().size()) return std::unexpected(ErrorCode::invalid);
  if (const auto error = path::check_component(name)) return std::unexpected(*error);
  if (items_.contains(directory, name)) return std::unexpected(ErrorCode::exists);
  return {};
}

Result<void> Writer::set_root(const Attributes& attributes) {
  return guarded([&]() -> Result<void> {
    if (has_root_) return std::unexpected(ErrorCode::invalid);
    return write_root(attributes);
  });
}

Result<Writer::DirectoryId> Writer::add_directory(DirectoryId parent, std::string_view name,
                                                  const Attributes& attributes) {
  return guarded([&]() -> Result<DirectoryId> {
    if (auto begun = begin(parent, name); !begun) return std::unexpected(begun.error());
    const std::uint64_t number = items_.directories().size();
    if (number > ItemArena::kMaxDirectory) return std::unexpected(ErrorCode::too_large);
    auto record = node_record(log::RecordType::mkdir, parent, name, attributes);
    record.fields |= log::kDirectory;
    record.directory = number;
    if (auto written = log_.append(record); !written) return std::unexpected(written.error());
    Item item = node_item(FileType::directory, record);
    item.location = number;
    keep(item);
    return static_cast<DirectoryId>(number);
  });
}

Result<Writer::Added> Writer::add_file(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                       tree::ContentSource& content) {
  return guarded([&]() -> Result<Added> {
    if (auto begun = begin(parent, name); !begun) return std::unexpected(begun.error());
    auto record = node_record(log::RecordType::put, parent, name, attributes);
    const auto stored = contents_->store(record, content);
    if (!stored) return std::unexpected(stored.error());
    Item item = node_item(FileType::regular, record);
    item.form = stored->form;
    item.size = stored->size;
    item.stored_length = stored->stored_length;
    item.location = stored->location;
    return Added{.entry = static_cast<EntryId>(keep(item)), .size = stored->size};
  });
}

Result<Writer::EntryId> Writer::add_symlink(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                            std::string_view target) {
  return guarded([&]() -> Result<EntryId> {
    if (auto begun = begin(parent, name); !begun) return std::unexpected(begun.error());
    if (target.size() > kMaxTarget) return std::unexpected(ErrorCode::name_too_long);
    if (target.empty() || target.find('\0') != std::string_view::npos) return std::unexpected(ErrorCode::invalid);
    auto record = node_record(log::RecordType::symlink, parent, name, attributes);
    const auto location = log_.append_run(record, base::as_bytes(target));
    if (!location) return std::unexpected(location.error());
    Item item = node_item(FileType::symlink, record);
    item.form = content::Form::run;
    item.size = target.size();
    item.location = *location;
    return static_cast<EntryId>(keep(item));
  });
}

Result<Writer::EntryId> Writer::add_special(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                            FileType type, std::uint32_t major, std::uint32_t minor) {
  return guarded([&]() -> Result<EntryId> {
    if (auto begun = begin(parent, name); !begun) return std::unexpected(begun.error());
    if (!is_special(type)) return std::unexpected(ErrorCode::invalid);
    auto record = node_record(log::RecordType::special, parent, name, attributes);
    record.fields |= log::kKind;
    record.kind = type;
    if (is_device(type)) {
      record.fields |= log::kDevice;
      record.device_major = major;
      record.device_minor = minor;
    }
    if (auto written = log_.append(record); !written) return std::unexpected(written.error());
    Item item = node_item(type, record);
    item.location = std::uint64_t{record.device_major} << 32 | record.device_minor;
    return static_cast<EntryId>(keep(item));
  });
}

Result<void> Writer::add_link(DirectoryId parent, std::string_view name, EntryId existing) {
  return guarded([&]() -> Result<void> {
    if (auto begun = begin(parent, name); !begun) return begun;
    const auto ref = static_cast<ItemRef>(existing);
    const Item first = items_.get(ref);
    if (first.type == FileType::directory) return std::unexpected(ErrorCode::not_permitted);
    log::Record record;
    record.type = log::RecordType::link;
    record.name = name;
    record.fields = log::kParent | log::kInode | log::kLinkId;
    record.parent = static_cast<std::uint64_t>(parent);
    record.inode = first.inode;
    record.link_id = items_.link_id_for(ref);
    if (auto written = log_.append(record); !written) return std::unexpected(written.error());
    items_.add_link(record.parent, name, ref);
    return {};
  });
}

std::optional<Writer::Found> Writer::find(DirectoryId parent, std::string_view name) {
  if (!has_root_) return std::nullopt;
  const auto ref = items_.find(static_cast<std::uint64_t>(parent), name);
  if (!ref) return std::nullopt;
  return Found{.entry = static_cast<EntryId>(*ref), .type = items_.get(*ref).type};
}

std::optional<Writer::DirectoryId> Writer::find_directory(DirectoryId parent, std::string_view name) {
  if (!has_root_) return std::nullopt;
  const auto number = items_.find_directory(static_cast<std::uint64_t>(parent), name);
  if (!number) return std::nullopt;
  return static_cast<DirectoryId>(*number);
}

Result<void> Writer::write_commit() {
  log::Record record;
  record.type = log::RecordType::commit;
  record.fields = log::kGroup | log::kSyncedEnd;
  record.group_offset = sizeof(log::FileHeader);
  record.group_records = log_.records();
  if (auto written = log_.append(record); !written) return std::unexpected(written.error());
  return {};
}

Result<PackInfo> Writer::write_index_and_footer() {
  if (!has_root_) {
    if (auto root = write_root(root_); !root) return std::unexpected(root.error());
  }
  if (auto commit = write_commit(); !commit) return std::unexpected(commit.error());
  auto footer = write_index(items_, interned_, log_);
  if (!footer) return std::unexpected(footer.error());
  footer->magic = kFooterMagic;
  footer->version.set(log::kFormatVersion);
  footer->footer_length.set(sizeof(Footer));
  footer->pack_id = log_.pack_id();
  footer->total_length.set(output_.offset() + sizeof(Footer));
  footer->segment_id.set(log::kBuiltSegmentId);
  footer->next_inode.set(next_inode_);
  footer->page_log2.set(kPageLog2);
  const auto bytes = std::as_bytes(std::span(&*footer, 1));
  footer->checksum.set(base::xxh3(bytes.first(offsetof(Footer, checksum))));
  if (auto written = output_.write(bytes); !written) return std::unexpected(written.error());
  if (auto flushed = output_.flush(); !flushed) return std::unexpected(flushed.error());
  return PackInfo{.pack_id = footer->pack_id,
                  .format_version = log::kFormatVersion,
                  .file_bytes = footer->total_length.get(),
                  .log_bytes = footer->log_end.get(),
                  .index_bytes = footer->total_length.get() - footer->log_end.get(),
                  .directories = footer->directory_count.get(),
                  .entries = footer->entry_count.get(),
                  .content_bytes = footer->total_bytes.get(),
                  .linked_names = footer->total_linked.get(),
                  .records = footer->record_count.get()};
}

Result<PackInfo> Writer::finish() {
  auto info = guarded([&] { return write_index_and_footer(); });
  if (!closed_) closed_ = info ? Error(ErrorCode::invalid).with_note("the pack is finished") : info.error();
  return info;
}

}  // namespace packfs::pack
