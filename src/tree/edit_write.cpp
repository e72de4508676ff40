#include <optional>
#include <utility>

#include "tree/edit.h"
#include "tree/edit_rollback.h"

// The bytes of files.
namespace packfs::tree {
namespace {

using content::Content;

constexpr std::uint64_t kMaxBytes = INT64_MAX;

}  // namespace

/// A place that write() or append() may fill: a regular file, or none yet. When parents had to be made, `rollback`
/// takes them back. Errors: as open(2) with O_CREAT.
Result<Place> Edit::locate_for_write(std::string_view path, const CreateOptions& options,
                                     std::optional<Rollback>& rollback) {
  auto place = locate(path, options.exclusive ? Last::name : Last::created);
  if (!place && place.error().code() == ErrorCode::no_entry && options.make_parents) {
    rollback.emplace(*this);
    if (auto made = make_missing(path, false, 0); !made) return std::unexpected(std::move(made.error()));
    return locate_for_write(path, {.mode = options.mode, .make_parents = false, .exclusive = options.exclusive},
                            rollback);
  }
  if (!place) return place;
  if (place->is_root) return std::unexpected(Error(options.exclusive ? ErrorCode::exists : ErrorCode::is_a_directory));
  if (place->slash) return std::unexpected(Error(ErrorCode::is_a_directory));
  if (!place->found) return place;
  if (options.exclusive) return std::unexpected(Error(ErrorCode::exists));
  if (place->node.type == FileType::directory) return std::unexpected(Error(ErrorCode::is_a_directory));
  if (place->node.type != FileType::regular) return std::unexpected(Error(ErrorCode::invalid));
  return place;
}

/// An existing regular file. Errors: as open(2) without O_CREAT.
Result<Place> Edit::locate_file(std::string_view path) {
  auto place = locate(path, Last::followed);
  if (!place) return place;
  if (!place->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (place->node.type == FileType::directory) return std::unexpected(Error(ErrorCode::is_a_directory));
  if (place->slash) return std::unexpected(Error(ErrorCode::not_a_directory));
  if (place->node.type != FileType::regular) return std::unexpected(Error(ErrorCode::invalid));
  return place;
}

/// Gives the file at a place these bytes.
Result<void> Edit::set_body(Place& place, const Body& body) {
  auto none = xattrs_given(nullptr);
  return set_body(place, body, nullptr, *none);
}

/// The same, and these attributes.
Result<void> Edit::set_body(Place& place, const Body& body, const Attributes* attributes, Holder<XattrBlob>& xattrs) {
  if (auto prepared = prepare(place, 2 * edit_bytes(place.cost)); !prepared) return prepared;
  const auto inode = inode_copy(place, &body);
  if (!inode) return std::unexpected(inode.error());
  stamp_content(**inode);
  give(**inode, attributes, xattrs);
  return change_inode(place, *inode);
}

Result<void> Edit::write(std::string_view path, std::span<const std::byte> bytes, Ref<const Content> content,
                         const CreateOptions& options, const Attributes* attributes) {
  if (attributes == nullptr ? options.mode > kModeBits : options.make_parents) {
    return std::unexpected(Error(ErrorCode::invalid));
  }
  auto xattrs = xattrs_given(attributes);
  if (!xattrs) return std::unexpected(std::move(xattrs.error()));
  std::optional<Rollback> rollback;
  auto place = locate_for_write(path, options, rollback);
  if (!place) return std::unexpected(std::move(place.error()));
  const std::uint64_t size = content ? content->size() : 0;
  Body body{{}, std::move(content), size};
  if (!body.content) {
    auto made = body_of(bytes);
    if (!made) return std::unexpected(std::move(made.error()));
    body = std::move(*made);
  }
  owner_.heap().count_made(body.size);
  Result<void> done;
  if (place->found) {
    done = set_body(*place, body, attributes, *xattrs);
  } else if (done = prepare(*place); done) {
    Dentry* const inode = new_inode(FileType::regular, place->name, options.mode, body);
    give(*inode, attributes, *xattrs);
    done = create(*place, inode, body.size);
  }
  if (done && rollback) rollback->keep();
  return done;
}

Result<void> Edit::append(std::string_view path, std::span<const std::byte> bytes, const Ref<const Content>& content,
                          const CreateOptions& options) {
  if (options.mode > kModeBits) return std::unexpected(Error(ErrorCode::invalid));
  std::optional<Rollback> rollback;
  auto place = locate_for_write(path, options, rollback);
  if (!place) return std::unexpected(std::move(place.error()));
  const std::uint64_t more = content ? content->size() : bytes.size();
  owner_.heap().count_made(more);
  Result<void> done;
  if (!place->found) {
    const auto body = content ? Result<Body>(Body{{}, content, more}) : body_of(bytes);
    if (!body) return std::unexpected(body.error());
    if (done = prepare(*place); done) {
      done = create(*place, new_inode(FileType::regular, place->name, options.mode, *body), body->size);
    }
  } else if (more != 0) {
    const auto size = table_.size(place->node);
    if (!size) return std::unexpected(size.error());
    if (more > kMaxBytes - *size) return std::unexpected(Error(ErrorCode::too_large));
    Scratch scratch;
    const auto body = edited(table_, place->node, scratch, [&](const Content& now) {
      return content ? now.appended(*content) : now.appended(bytes);
    });
    if (!body) return std::unexpected(body.error());
    done = set_body(*place, *body);
  }
  if (done && rollback) rollback->keep();
  return done;
}

Result<void> Edit::write_at(std::string_view path, std::uint64_t offset, std::span<const std::byte> bytes,
                            const Ref<const Content>& content) {
  auto place = locate_file(path);
  if (!place) return std::unexpected(std::move(place.error()));
  const std::uint64_t size = content ? content->size() : bytes.size();
  if (size == 0) return {};
  if (offset > kMaxBytes || size > kMaxBytes - offset) return std::unexpected(Error(ErrorCode::too_large));
  owner_.heap().count_made(size);
  Scratch scratch;
  const auto body = edited(table_, place->node, scratch, [&](const Content& now) {
    return content ? now.written(offset, *content) : now.written(offset, bytes);
  });
  if (!body) return std::unexpected(body.error());
  return set_body(*place, *body);
}

Result<void> Edit::truncate(std::string_view path, std::uint64_t size) {
  auto place = locate_file(path);
  if (!place) return std::unexpected(std::move(place.error()));
  if (size > kMaxBytes) return std::unexpected(Error(ErrorCode::too_large));
  Scratch scratch;
  const auto body = edited(table_, place->node, scratch, [&](const Content& now) { return now.resized(size); });
  if (!body) return std::unexpected(body.error());
  return set_body(*place, *body);
}

}  // namespace packfs::tree
