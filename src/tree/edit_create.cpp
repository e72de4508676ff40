#include <algorithm>
#include <utility>

#include "path/path.h"
#include "tree/edit.h"
#include "tree/edit_rollback.h"

// New entries.
namespace packfs::tree {
namespace {

constexpr std::uint32_t kParentMode = 0755;

}  // namespace

/// Puts a new inode at a place where nothing is; takes over its reference. Memory was reserved by prepare().
Result<void> Edit::create(Place& place, Dentry* entry, std::uint64_t bytes) {
  const bool is_directory = entry->type == FileType::directory;
  Dentry* const parent =
      own_chain(place, {.entries = 1, .bytes = bytes, .subdirectories = is_directory ? 1U : 0U, .names_changed = true});
  DirectoryBody& body = parent->directory();
  entry->family = body.children_family;
  if (is_directory) entry->directory().children_family = body.children_family;
  put_in_treap(owner_, body.treap, entry, place.hash);
  return {};
}

Result<Dentry*> Edit::make_root() {
  if (!table_.lower()) return new_inode(FileType::directory, {}, kParentMode, {});
  const auto below = table_.lower()->root();
  if (!below) return std::unexpected(below.error());
  return from_lower(*below, {});
}

Result<void> Edit::make_directory(std::string_view path, std::uint32_t mode, const Attributes* attributes) {
  if (mode > kModeBits) return std::unexpected(Error(ErrorCode::invalid));
  auto xattrs = xattrs_given(attributes);
  if (!xattrs) return std::unexpected(std::move(xattrs.error()));
  auto place = locate(path, Last::name);
  if (!place) return std::unexpected(std::move(place.error()));
  if (place->found) return std::unexpected(Error(ErrorCode::exists));
  if (auto prepared = prepare(*place); !prepared) return prepared;
  Dentry* const inode = new_inode(FileType::directory, place->name, mode, {});
  give(*inode, attributes, *xattrs);
  return create(*place, inode, 0);
}

/// Makes the directories missing on the way to the path's last component, and that one `with_last`, all as one tree.
Result<void> Edit::make_missing(std::string_view path, bool with_last, std::uint32_t mode) {
  if (const auto error = path::Splitter(path).error_ahead()) return std::unexpected(Error(*error));
  auto place = locate(path, Last::missing);
  if (!place) return std::unexpected(std::move(place.error()));
  if (place->found || place->by_link) return {};
  std::vector<std::string_view> names{place->name};
  if (place->rest) {
    while (place->rest->next()) names.push_back(place->rest->component());
  }
  if (!with_last) names.pop_back();
  if (names.empty()) return {};

  constexpr std::size_t kBytesEach =
      dentry_bytes(FileType::directory, 255, 0) + sizeof(TreapNode) + sizeof(BlockChanges) + BlockBase::bytes_for(16);
  if (auto prepared = prepare(*place, names.size() * kBytesEach); !prepared) return prepared;
  const std::uint64_t family = family_at(*place);
  Dentry* child = nullptr;
  for (std::size_t i = names.size(); i-- > 0;) {
    const bool is_last = with_last && i + 1 == names.size();
    Dentry* const directory = new_inode(FileType::directory, names[i], is_last ? mode : kParentMode, {});
    DirectoryBody& body = directory->directory();
    directory->family = body.children_family = family;
    if (child != nullptr) {
      body.below.entries = names.size() - i - 1;
      body.subdirectories = 1;
      put_in_treap(owner_, body.treap, child, owner_.heap().hash(child->name()));
    }
    child = directory;
  }
  put(*place, child, {.entries = names.size(), .subdirectories = 1, .names_changed = true});
  return {};
}

Result<void> Edit::make_directories(std::string_view path, std::uint32_t mode) {
  if (mode > kModeBits) return std::unexpected(Error(ErrorCode::invalid));
  const auto last = locate(path, Last::name);
  if (!last && last.error().code() == ErrorCode::no_entry) return make_missing(path, true, mode);
  if (!last) return std::unexpected(last.error());
  if (!last->found) return make_directory(path, mode);
  const auto target = locate(path, Last::followed);
  if (target && target->found && target->node.type == FileType::directory) return {};
  return std::unexpected(Error(ErrorCode::exists));
}

Result<void> Edit::symlink(std::string_view target, std::string_view path, const Attributes* attributes) {
  if (target.empty() || target.size() > path::kMaxPath || target.contains('\0')) {
    return std::unexpected(Error(ErrorCode::invalid));
  }
  auto xattrs = xattrs_given(attributes);
  if (!xattrs) return std::unexpected(std::move(xattrs.error()));
  auto place = locate(path, Last::name);
  if (!place) return std::unexpected(std::move(place.error()));
  if (place->found) return std::unexpected(Error(ErrorCode::exists));
  if (place->slash) return std::unexpected(Error(ErrorCode::no_entry));
  const auto body = body_of(std::as_bytes(std::span(target)));
  if (!body) return std::unexpected(body.error());
  if (auto prepared = prepare(*place); !prepared) return prepared;
  Dentry* const inode = new_inode(FileType::symlink, place->name, 0777, *body);
  give(*inode, attributes, *xattrs);
  return create(*place, inode, 0);
}

Result<void> Edit::make_special(std::string_view path, FileType type, std::uint32_t mode, const Device& device,
                                const Attributes* attributes) {
  const bool is_device = type == FileType::character_device || type == FileType::block_device;
  if ((!is_device && type != FileType::fifo && type != FileType::socket) || mode > kModeBits) {
    return std::unexpected(Error(ErrorCode::invalid));
  }
  auto xattrs = xattrs_given(attributes);
  if (!xattrs) return std::unexpected(std::move(xattrs.error()));
  auto place = locate(path, Last::name);
  if (!place) return std::unexpected(std::move(place.error()));
  if (place->found) return std::unexpected(Error(ErrorCode::exists));
  if (place->slash) return std::unexpected(Error(ErrorCode::no_entry));
  if (auto prepared = prepare(*place); !prepared) return prepared;
  Dentry* const inode = new_inode(type, place->name, mode, {});
  inode->device = is_device ? std::uint64_t{device.major} << 32 | device.minor : 0;
  give(*inode, attributes, *xattrs);
  return create(*place, inode, 0);
}

}  // namespace packfs::tree
