#include "support/memory_tree.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "path/path.h"

namespace packfs::testing {

namespace {

constexpr std::size_t kPieceBytes = 4096;

bool is_zero(std::span<const std::byte> bytes) {
  return bytes.front() == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::string text_of(const Attributes& attributes) {
  std::string text = " mode " + std::to_string(attributes.mode) + " owner " + std::to_string(attributes.uid) + ":" +
                     std::to_string(attributes.gid) + " mtime " + std::to_string(attributes.mtime.seconds) + "." +
                     std::to_string(attributes.mtime.nanoseconds);
  for (const Xattr& xattr : attributes.xattrs) {
    text += " " + xattr.name + "=" + std::to_string(base::xxh3(xattr.value));
  }
  return text;
}

// Keeps what is not a hole by the rule of docs/format.md section 2.3. `bytes` begin at a multiple of a block.
void keep_blocks(MemoryTree::Inode& inode, std::uint64_t offset, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += kPieceBytes) {
    const auto block = bytes.subspan(i, std::min(kPieceBytes, bytes.size() - i));
    if (block.size() < kPieceBytes || !is_zero(block)) inode.pieces[offset + i] = {block.begin(), block.end()};
  }
}

Result<void> read_streamed(tree::ContentSource& source, MemoryTree::Inode& inode) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::uint64_t at = 0;
  while (at < source.expected_size()) {
    auto data = source.next_data(at);
    if (!data) return std::unexpected(data.error());
    at = *data / kPieceBytes * kPieceBytes;
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      auto got = source.read(at + filled, std::span(buffer).subspan(filled));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;
      filled += *got;
    }
    if (filled == 0) break;
    keep_blocks(inode, at, std::span(buffer).first(filled));
    at += filled;
    inode.size = at;
  }
  inode.size = std::max(inode.size, source.expected_size());
  return {};
}

Result<void> read_content(tree::ContentSource& source, MemoryTree::Inode& inode) {
  if (!source.in_memory()) return read_streamed(source, inode);
  inode.size = source.bytes().size();
  keep_blocks(inode, 0, source.bytes());
  return {};
}

}  // namespace

class MemoryTree::Cursor final : public tree::Cursor {
 public:
  Cursor(const tree::Table& table, const State& state, const Inode& directory, std::string_view from)
      : table_(table), state_(state), at_(directory.entries.lower_bound(from)), end_(directory.entries.end()) {}

  Result<std::size_t> next(std::span<Entry> entries) override {
    std::size_t count = 0;
    for (; count < entries.size() && at_ != end_; ++at_, ++count) {
      const FileType type = state_.inodes[at_->second].type;
      entries[count] = Entry(&table_, at_->first, {.type = type, .entry = at_->second, .directory = at_->second});
    }
    return count;
  }

 private:
  const tree::Table& table_;
  const State& state_;
  std::map<std::string, std::size_t, std::less<>>::const_iterator at_;
  std::map<std::string, std::size_t, std::less<>>::const_iterator end_;
};

class MemoryTree::Table final : public tree::Table {
 public:
  explicit Table(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  Result<Node> root() const override { return Node{.type = FileType::directory, .entry = 0, .directory = 0}; }
  Result<Node> find(const Node& directory, std::string_view name) const override {
    const auto& entries = inode(directory).entries;
    const auto at = entries.find(name);
    if (at == entries.end()) return std::unexpected(ErrorCode::no_entry);
    return Node{.type = state_->inodes[at->second].type, .entry = at->second, .directory = at->second};
  }
  Result<std::unique_ptr<tree::Cursor>> list(const Node& directory, std::string_view from) const override {
    return std::make_unique<MemoryTree::Cursor>(*this, *state_, inode(directory), from);
  }
  Result<Stat> stat(const Node& node) const override {
    const Inode& from = inode(node);
    Stat stat;
    stat.type = from.type;
    stat.mode = from.attributes.mode;
    stat.uid = from.attributes.uid;
    stat.gid = from.attributes.gid;
    stat.nlink = std::max<std::uint64_t>(from.names, 1);
    stat.size = from.type == FileType::symlink ? from.target.size() : from.size;
    stat.inode = node.entry;
    stat.link_id = from.link_id;
    stat.mtime = from.attributes.mtime;
    stat.device_major = from.major;
    stat.device_minor = from.minor;
    stat.has_xattrs = !from.attributes.xattrs.empty();
    return stat;
  }
  Result<Totals> totals(const Node&) const override { return Totals{}; }
  Result<std::vector<Xattr>> xattrs(const Node& node) const override { return inode(node).attributes.xattrs; }
  Result<std::string> readlink(const Node& symlink) const override { return inode(symlink).target; }
  Result<std::uint64_t> size(const Node& file) const override { return inode(file).size; }
  Result<std::size_t> read(const Node& file, std::uint64_t offset, std::span<std::byte> buffer) const override {
    const Inode& from = inode(file);
    if (offset >= from.size) return 0;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), from.size - offset));
    std::ranges::fill(buffer, std::byte{0});
    for (const auto& [begin, bytes] : from.pieces) {
      const std::uint64_t first = std::max(begin, offset);
      const std::uint64_t last = std::min(begin + bytes.size(), offset + count);
      for (std::uint64_t at = first; at < last; ++at) buffer[at - offset] = bytes[at - begin];
    }
    return count;
  }
  Result<std::span<const std::byte>> borrow(const Node& file) const override {
    const auto& pieces = inode(file).pieces;
    if (pieces.size() != 1 || pieces.begin()->second.size() != inode(file).size) {
      return std::unexpected(ErrorCode::not_supported);
    }
    return std::span<const std::byte>(pieces.begin()->second);
  }
  Result<Range> next_data(const Node& file, std::uint64_t offset) const override {
    const Inode& from = inode(file);
    auto at = from.pieces.upper_bound(offset);
    if (at != from.pieces.begin() && std::prev(at)->first + std::prev(at)->second.size() > offset) --at;
    if (at == from.pieces.end()) return Range{.begin = from.size, .end = from.size};
    return Range{.begin = std::max(at->first, offset), .end = at->first + at->second.size()};
  }

 private:
  [[nodiscard]] const Inode& inode(const Node& node) const { return state_->inodes[node.entry]; }
  std::shared_ptr<const State> state_;
};

MemoryTree::MemoryTree() : state_(std::make_shared<State>()) { state_->inodes.emplace_back(); }

Result<void> MemoryTree::set_root(const Attributes& attributes) {
  calls_.push_back("root" + text_of(attributes));
  state_->inodes[0].attributes = attributes;
  return {};
}

Result<tree::Sink::DirectoryId> MemoryTree::add_directory(DirectoryId parent, std::string_view name,
                                                          const Attributes& attributes) {
  Inode inode;
  inode.attributes = attributes;
  auto added = add(parent, name, std::move(inode), "directory" + text_of(attributes));
  if (!added) return std::unexpected(added.error());
  return DirectoryId{*added};
}

Result<tree::Sink::Added> MemoryTree::add_file(DirectoryId parent, std::string_view name, const Attributes& attributes,
                                               tree::ContentSource& content) {
  if (auto allowed = may_add(name); !allowed) return std::unexpected(allowed.error());
  Inode inode;
  inode.type = FileType::regular;
  inode.attributes = attributes;
  if (auto read = read_content(content, inode); !read) return std::unexpected(read.error());
  std::uint64_t hash = 0;
  for (const auto& [offset, bytes] : inode.pieces) hash = base::xxh3(bytes, hash ^ offset);
  const std::uint64_t size = inode.size;
  auto added = add(parent, name, std::move(inode),
                   "file of " + std::to_string(size) + " bytes, hash " + std::to_string(hash) +
                       (content.in_memory() ? " in memory" : " streamed") + text_of(attributes));
  if (!added) return std::unexpected(added.error());
  return Added{.entry = EntryId{*added}, .size = size};
}

Result<tree::Sink::EntryId> MemoryTree::add_symlink(DirectoryId parent, std::string_view name,
                                                    const Attributes& attributes, std::string_view target) {
  Inode inode;
  inode.type = FileType::symlink;
  inode.attributes = attributes;
  inode.target = target;
  auto added = add(parent, name, std::move(inode), "symlink to " + std::string(target) + text_of(attributes));
  if (!added) return std::unexpected(added.error());
  return EntryId{*added};
}

Result<tree::Sink::EntryId> MemoryTree::add_special(DirectoryId parent, std::string_view name,
                                                    const Attributes& attributes, FileType type, std::uint32_t major,
                                                    std::uint32_t minor) {
  Inode inode;
  inode.type = type;
  inode.attributes = attributes;
  inode.major = major;
  inode.minor = minor;
  auto added = add(parent, name, std::move(inode),
                   "special " + std::to_string(static_cast<int>(type)) + " " + std::to_string(major) + ":" +
                       std::to_string(minor) + text_of(attributes));
  if (!added) return std::unexpected(added.error());
  return EntryId{*added};
}

Result<void> MemoryTree::add_link(DirectoryId parent, std::string_view name, EntryId existing) {
  if (auto allowed = may_add(name); !allowed) return allowed;
  const auto number = static_cast<std::size_t>(existing);
  auto& entries = state_->inodes[static_cast<std::size_t>(parent)].entries;
  if (!entries.emplace(name, number).second) return std::unexpected(ErrorCode::exists);
  Inode& inode = state_->inodes[number];
  ++inode.names;
  if (inode.link_id == 0) inode.link_id = state_->next_link_id++;
  calls_.push_back(std::to_string(static_cast<std::uint64_t>(parent)) + "/" + std::string(name) + " link to " +
                   std::to_string(number));
  return {};
}

Result<void> MemoryTree::may_add(std::string_view name) const {
  if (const auto bad = path::check_component(name)) return std::unexpected(*bad);
  return refuse ? refuse(name) : Result<void>();
}

Result<std::size_t> MemoryTree::add(DirectoryId parent, std::string_view name, Inode inode, const std::string& detail) {
  // A file was asked about before its content was read.
  if (inode.type != FileType::regular) {
    if (auto allowed = may_add(name); !allowed) return std::unexpected(allowed.error());
  }
  const auto directory = static_cast<std::size_t>(parent);
  const std::size_t number = state_->inodes.size();
  if (!state_->inodes[directory].entries.emplace(name, number).second) return std::unexpected(ErrorCode::exists);
  inode.names = 1;
  state_->inodes.push_back(std::move(inode));
  calls_.push_back(std::to_string(directory) + "/" + std::string(name) + " " + detail);
  return number;
}

void MemoryTree::add_unchecked(std::string_view name, Inode inode) {
  state_->inodes[0].entries.insert_or_assign(std::string(name), state_->inodes.size());
  state_->inodes.push_back(std::move(inode));
}

const MemoryTree::Inode* MemoryTree::find(std::string_view path) const {
  const Inode* inode = state_->inodes.data();
  path::Splitter splitter(path);
  while (splitter.next()) {
    const auto at = inode->entries.find(splitter.component());
    if (at == inode->entries.end()) return nullptr;
    inode = &state_->inodes[at->second];
  }
  return inode;
}

std::string MemoryTree::content(std::string_view path) const {
  const Inode* inode = find(path);
  if (inode == nullptr || inode->type != FileType::regular) return "not a file";
  std::string bytes(inode->size, '\0');
  for (const auto& [offset, piece] : inode->pieces) {
    std::ranges::transform(piece, bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                           [](std::byte byte) { return static_cast<char>(byte); });
  }
  return bytes;
}

View MemoryTree::view() const {
  return {Ref<const tree::Table>(new Table(state_)), {.type = FileType::directory, .entry = 0, .directory = 0}, {}};
}

}  // namespace packfs::testing
