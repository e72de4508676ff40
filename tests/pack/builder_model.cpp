#include "pack/builder_model.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "support/packs.h"

namespace packfs::testing {

namespace {

constexpr std::size_t kMiB = 1048576;
constexpr std::size_t kBlock = 4096;
constexpr std::size_t kMostDifferences = 10;

std::uint64_t below(Random& random, std::uint64_t limit) { return random() % limit; }

/// Sizes around every limit at which something changes.
std::size_t random_size(Random& random, bool large) {
  static constexpr std::size_t kEdges[] = {0,    1,         kBlock,   65536,      262144,   kMiB,
                                           8192, 3 * 65536, 2 * kMiB, 2 * kBlock, 3 * kMiB, kMiB + 262144};
  if (!large && below(random, 4) != 0) return below(random, 300);
  const std::size_t edge = kEdges[below(random, std::size(kEdges))];
  if (edge > 262144 && !large) return below(random, 5000);
  const std::size_t offset = below(random, 3);  // one less, none, one more
  return edge + offset == 0 ? 0 : edge + offset - 1;
}

void zero_blocks(Random& random, Bytes& bytes) {
  const std::size_t blocks = bytes.size() / kBlock + 1;
  const auto zero = [&](std::size_t begin, std::size_t count) {
    const std::size_t first = std::min(begin * kBlock, bytes.size());
    const std::size_t last = std::min((begin + count) * kBlock, bytes.size());
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.begin() + static_cast<std::ptrdiff_t>(last),
              std::byte{0});
  };
  switch (below(random, 5)) {
    case 0:  // at the start
      return zero(0, 1 + below(random, 4));
    case 1:  // at the end
      return zero(blocks - 1 - below(random, blocks), blocks);
    case 2:  // everywhere
      return zero(0, blocks);
    case 3:  // zeros that are not aligned
      if (bytes.size() > 3 * kBlock) std::fill_n(bytes.begin() + 100, kBlock + 10, std::byte{0});
      return;
    default:
      for (int i = 0; i < 5; ++i) zero(below(random, blocks), 1 + below(random, 3));
  }
}

std::shared_ptr<const Bytes> random_content(Random& random, bool large) {
  const std::size_t size = random_size(random, large);
  Bytes bytes = below(random, 2) == 0 ? noise(random, size) : text(random, size);
  if (below(random, 3) == 0) zero_blocks(random, bytes);
  return std::make_shared<const Bytes>(std::move(bytes));
}

std::string random_name(Random& random) {
  static constexpr std::size_t kLengths[] = {1, 2, 5, 8, 12, 20, 255};
  std::string name(kLengths[below(random, std::size(kLengths))], 'x');
  for (char& byte : name) {
    do {
      byte = below(random, 8) == 0 ? static_cast<char>(below(random, 256)) : static_cast<char>('a' + below(random, 26));
    } while (byte == '/' || byte == '\0' || byte == '.');
  }
  return name;
}

Time random_time(Random& random) {
  static constexpr std::int64_t kSeconds[] = {0, -1, 1700000000, 4294967295, 4294967296, INT64_MIN, INT64_MAX};
  return {kSeconds[below(random, std::size(kSeconds))], static_cast<std::uint32_t>(below(random, 1000000000))};
}

Attributes random_attributes(Random& random) {
  static constexpr std::uint32_t kOwners[] = {0, 1000, 65534, 4294967294};
  Attributes attributes;
  attributes.mode = static_cast<std::uint32_t>(below(random, 010000));
  attributes.uid = kOwners[below(random, std::size(kOwners))];
  attributes.gid = kOwners[below(random, std::size(kOwners))];
  attributes.mtime = random_time(random);
  if (below(random, 5) != 0) return attributes;
  const std::uint64_t lists = below(random, 3);
  for (std::uint64_t i = 0; i <= lists; ++i) {
    attributes.xattrs.push_back({"user." + std::to_string(below(random, 2)) + "/" + std::to_string(9 - i),
                                 text(random, below(random, 2) == 0 ? below(random, 4) : 20000)});
  }
  return attributes;
}

ModelNode random_entry(Random& random, bool large) {
  ModelNode node;
  node.attributes = random_attributes(random);
  static constexpr FileType kTypes[] = {FileType::regular, FileType::regular,          FileType::regular,
                                        FileType::regular, FileType::symlink,          FileType::fifo,
                                        FileType::socket,  FileType::character_device, FileType::block_device};
  node.type = large ? FileType::regular : kTypes[below(random, std::size(kTypes))];
  if (node.type == FileType::regular) node.content = random_content(random, large);
  if (node.type == FileType::symlink) {
    const Bytes target = text(random, below(random, 10) == 0 ? 70000 : 1 + below(random, 60));
    node.target = text_of(target);
  }
  if (node.type == FileType::character_device || node.type == FileType::block_device) {
    node.major = static_cast<std::uint32_t>(random());
    node.minor = static_cast<std::uint32_t>(random());
  }
  return node;
}

void list_steps(const ModelNode& node, const std::string& path, std::vector<ModelStep>& steps) {
  for (const auto& [name, child] : node.children) {
    const std::string at = path.empty() ? name : path + "/" + name;
    steps.push_back({.path = at, .node = &child, .existing = {}});
    if (child.type == FileType::directory) list_steps(child, at, steps);
  }
}

/// A stream of `bytes` in pieces of any size.
ByteStream stream_of(const Bytes& bytes, Random& random) {
  return [&bytes, &random, at = std::size_t{0}](std::span<std::byte> buffer) mutable -> Result<std::size_t> {
    const std::size_t left = std::min(bytes.size() - at, buffer.size());
    if (left == 0) return 0;
    const std::size_t count = 1 + below(random, std::min<std::size_t>(left, 200000));
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, buffer.begin());
    at += count;
    return count;
  };
}

class Comparer {
 public:
  explicit Comparer(const View& view) : view_(view) {}

  void compare(const ModelNode& node, const std::string& path) {
    compare_attributes(node, path);
    if (node.type == FileType::regular) compare_content(*node.content, path);
    if (node.type == FileType::symlink && view_.readlink(path).value_or("") != node.target) note(path, "target");
    if (node.type == FileType::directory) compare_children(node, path);
  }
  void compare_links() {
    for (const auto& [group, paths] : groups_) {
      const auto first = view_.lstat(paths.front());
      for (const std::string& path : paths) {
        const auto stat = view_.lstat(path);
        if (!stat || !first || stat->inode != first->inode) note(path, "inode of its group");
        if (stat && (stat->link_id == 0) != (paths.size() == 1)) note(path, "link id");
        if (stat && stat->nlink != paths.size()) note(path, "nlink");
      }
    }
  }
  std::vector<std::string> found() && { return std::move(found_); }

 private:
  void note(const std::string& path, const std::string& what) {
    if (found_.size() < kMostDifferences) found_.push_back(path + ": " + what);
  }

  void compare_attributes(const ModelNode& node, const std::string& path) {
    const auto stat = view_.lstat(path);
    if (!stat) return note(path, stat.error().message());
    if (stat->type != node.type) return note(path, "type");
    if (stat->mode != node.attributes.mode) note(path, "mode");
    if (stat->uid != node.attributes.uid || stat->gid != node.attributes.gid) note(path, "owner");
    if (stat->mtime != node.attributes.mtime) note(path, "mtime");
    if (stat->ctime != Time{} || stat->change_commit != 0) note(path, "ctime or change commit");
    if (stat->device_major != node.major || stat->device_minor != node.minor) note(path, "device");
    std::uint64_t size = node.target.size();
    if (node.content) size = node.content->size();
    if (stat->size != size) note(path, "size");
    auto expected = node.attributes.xattrs;
    std::ranges::sort(expected, {}, &Xattr::name);
    const auto xattrs = view_.xattrs(path);
    if (!xattrs || *xattrs != expected || stat->has_xattrs == expected.empty()) note(path, "xattrs");
    if (node.group != 0) {
      groups_[node.group].push_back(path);
    } else if (node.type != FileType::directory && (stat->nlink != 1 || stat->link_id != 0)) {
      note(path, "links");
    }
  }

  void compare_content(const Bytes& expected, const std::string& path) {
    const auto file = view_.open(path);
    if (!file) return note(path, file.error().message());
    const auto bytes = file->bytes();
    if (!bytes) return note(path, bytes.error().message());
    if (!std::ranges::equal(*bytes, expected)) note(path, "content");
  }

  void compare_children(const ModelNode& node, const std::string& path) {
    auto listing = view_.list(path);
    auto expected = node.children.begin();
    for (const auto& entry : listing) {
      if (!entry) return note(path, entry.error().message());
      if (expected == node.children.end()) return note(path, "more entries");
      if (entry->name() != expected->first || entry->type() != expected->second.type) return note(path, "listing");
      ++expected;
    }
    if (expected != node.children.end()) return note(path, "fewer entries");
    for (const auto& [name, child] : node.children) compare(child, path.empty() ? name : path + "/" + name);
  }

  View view_;
  std::map<std::size_t, std::vector<std::string>> groups_;
  std::vector<std::string> found_;
};

}  // namespace

Bytes noise(Random& random, std::size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 0xFF);
  return bytes;
}

Bytes text(Random& random, std::size_t count) {
  Bytes bytes(count);
  std::byte byte{'a'};
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 16 == 0) byte = static_cast<std::byte>('a' + random() % 20);
    bytes[i] = byte;
  }
  return bytes;
}

ModelNode random_tree(Random& random, std::size_t entries) {
  ModelNode root;
  root.attributes = random_attributes(random);
  std::vector<ModelNode*> directories{&root};
  std::vector<const ModelNode*> linkable;
  std::size_t groups = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    ModelNode& parent = *directories[below(random, directories.size())];
    const auto [at, is_new] = parent.children.try_emplace(random_name(random));
    if (!is_new) continue;
    ModelNode& node = at->second;
    const std::uint64_t kind = below(random, 10);
    if (kind == 0) {
      node.attributes = random_attributes(random);
      directories.push_back(&node);
    } else if (kind == 1 && !linkable.empty()) {
      auto* first = const_cast<ModelNode*>(linkable[below(random, linkable.size())]);
      if (first->group == 0) first->group = ++groups;
      node = *first;
    } else {
      node = random_entry(random, i % 40 == 0);
      linkable.push_back(&node);
    }
  }
  return root;
}

std::vector<ModelStep> steps_of(const ModelNode& root, Random& random) {
  std::vector<ModelStep> steps;
  list_steps(root, "", steps);
  const auto depth = [](const ModelStep& step) {
    return step.node->type == FileType::directory ? std::ranges::count(step.path, '/') : 1000000;
  };
  std::ranges::shuffle(steps, random);
  // Directories by depth now and then among the others, which may come as soon as their parent is there.
  std::ranges::sort(steps, {}, depth);
  std::map<std::size_t, std::string> first_names;
  for (ModelStep& step : steps) {
    if (step.node->group == 0) continue;
    const auto [at, is_first] = first_names.try_emplace(step.node->group, step.path);
    if (!is_first) step.existing = at->second;
  }
  return steps;
}

void add_steps(PackBuilder& builder, const std::vector<ModelStep>& steps, Random& random) {
  for (const auto& [path, node, existing] : steps) {
    if (!existing.empty()) {
      must(builder.add_link(path, existing));
    } else if (node->type == FileType::directory) {
      must(builder.add_directory(path, node->attributes));
    } else if (node->type == FileType::symlink) {
      must(builder.add_symlink(path, node->attributes, node->target));
    } else if (node->type != FileType::regular) {
      must(builder.add_special(path, node->attributes, node->type, node->major, node->minor));
    } else if (below(random, 2) == 0) {
      must(builder.add_file(path, node->attributes, std::span<const std::byte>(*node->content)));
    } else {
      must(builder.add_file(path, node->attributes, stream_of(*node->content, random)));
    }
  }
}

std::vector<std::string> differences(const ModelNode& root, const View& view) {
  Comparer comparer(view);
  comparer.compare(root, "");
  comparer.compare_links();
  return std::move(comparer).found();
}

}  // namespace packfs::testing
