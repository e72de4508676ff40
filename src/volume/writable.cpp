#include <utility>

#include "packfs/volume.h"
#include "tree/operation.h"

// The calls that volumes and transactions share: each is said as an Operation for Writable::run(), or reads a view.
namespace packfs {

using tree::Operation;
using Kind = Operation::Kind;

Result<void> Writable::write(std::string_view path, std::span<const std::byte> content, const CreateOptions& options) {
  return run({.kind = Kind::write,
              .make_parents = options.make_parents,
              .exclusive = options.exclusive,
              .mode = options.mode,
              .path = path,
              .bytes = content,
              .attributes = options.attributes});
}

Result<void> Writable::write(std::string_view path, std::unique_ptr<std::byte[]> content, std::size_t bytes,
                             const CreateOptions& options) {
  if (bytes <= tree::Dentry::kMaxInline) return write(path, std::span(content.get(), bytes), options);
  auto adopted = content::Content::adopt(std::move(content), bytes);
  if (!adopted) return std::unexpected(std::move(adopted.error()));
  return run({.kind = Kind::write,
              .make_parents = options.make_parents,
              .exclusive = options.exclusive,
              .mode = options.mode,
              .path = path,
              .content = std::move(*adopted),
              .attributes = options.attributes});
}

Result<void> Writable::append(std::string_view path, std::span<const std::byte> content, const CreateOptions& options) {
  if (options.attributes != nullptr) return std::unexpected(Error(ErrorCode::invalid));
  return run({.kind = Kind::append,
              .make_parents = options.make_parents,
              .exclusive = options.exclusive,
              .mode = options.mode,
              .path = path,
              .bytes = content});
}
Result<void> Writable::write_at(std::string_view path, std::uint64_t offset, std::span<const std::byte> content) {
  return run({.kind = Kind::write_at, .path = path, .bytes = content, .offset = offset});
}
Result<void> Writable::truncate(std::string_view path, std::uint64_t size) {
  return run({.kind = Kind::truncate, .path = path, .offset = size});
}
Result<void> Writable::make_directory(std::string_view path, std::uint32_t mode) {
  return run({.kind = Kind::make_directory, .mode = mode, .path = path});
}
Result<void> Writable::make_directory(std::string_view path, const Attributes& attributes) {
  return run({.kind = Kind::make_directory, .path = path, .attributes = &attributes});
}
Result<void> Writable::make_directories(std::string_view path, std::uint32_t mode) {
  return run({.kind = Kind::make_directories, .mode = mode, .path = path});
}
Result<void> Writable::remove_directory(std::string_view path) {
  return run({.kind = Kind::remove_directory, .path = path});
}
Result<void> Writable::unlink(std::string_view path) { return run({.kind = Kind::unlink, .path = path}); }
Result<void> Writable::remove_tree(std::string_view path) { return run({.kind = Kind::remove_tree, .path = path}); }
Result<void> Writable::rename(std::string_view from, std::string_view to, RenameMode mode) {
  return run({.kind = Kind::rename, .rename = mode, .path = from, .other = to});
}
Result<void> Writable::clone(std::string_view from, std::string_view to) {
  return run({.kind = Kind::clone, .path = from, .other = to});
}
Result<void> Writable::link(std::string_view existing, std::string_view path) {
  return run({.kind = Kind::link, .path = path, .other = existing});
}
Result<void> Writable::symlink(std::string_view target, std::string_view path) {
  return run({.kind = Kind::symlink, .path = path, .other = target});
}
Result<void> Writable::symlink(std::string_view target, std::string_view path, const Attributes& attributes) {
  return run({.kind = Kind::symlink, .path = path, .other = target, .attributes = &attributes});
}
Result<void> Writable::make_special(std::string_view path, FileType type, std::uint32_t mode, std::uint32_t major,
                                    std::uint32_t minor) {
  return run({.kind = Kind::make_special, .type = type, .mode = mode, .major = major, .minor = minor, .path = path});
}
Result<void> Writable::make_special(std::string_view path, FileType type, const Attributes& attributes,
                                    std::uint32_t major, std::uint32_t minor) {
  return run({.kind = Kind::make_special,
              .type = type,
              .major = major,
              .minor = minor,
              .path = path,
              .attributes = &attributes});
}
Result<void> Writable::chmod(std::string_view path, std::uint32_t mode) {
  return run({.kind = Kind::chmod, .mode = mode, .path = path});
}
Result<void> Writable::chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last) {
  return run({.kind = Kind::chown, .last = last, .uid = uid, .gid = gid, .path = path});
}
Result<void> Writable::set_mtime(std::string_view path, const Time& mtime, LastLink last) {
  return run({.kind = Kind::set_mtime, .last = last, .path = path, .mtime = mtime});
}
Result<void> Writable::set_xattr(std::string_view path, std::string_view name, std::span<const std::byte> value,
                                 XattrMode mode) {
  return run({.kind = Kind::set_xattr, .xattr = mode, .path = path, .other = name, .bytes = value});
}
Result<void> Writable::remove_xattr(std::string_view path, std::string_view name) {
  return run({.kind = Kind::remove_xattr, .path = path, .other = name});
}
Result<void> Writable::set_attributes(std::string_view path, const Attributes& attributes) {
  return run({.kind = Kind::set_attributes, .path = path, .attributes = &attributes});
}

namespace {

/// A call of View, or the reason why there is none.
template <class Call>
auto with(const Result<View>& view, Call call) -> decltype(call(*view)) {
  if (!view) return std::unexpected(view.error());
  return call(*view);
}

}  // namespace

Result<File> Writable::open_file(std::string_view path) const {
  return with(lasting_view(), [&](const View& view) { return view.open(path); });
}
Result<std::size_t> Writable::read(std::string_view path, std::span<std::byte> buffer, std::uint64_t offset) const {
  return with(view(), [&](const View& view) { return view.read(path, buffer, offset); });
}
Result<Stat> Writable::stat(std::string_view path) const {
  return with(view(), [&](const View& view) { return view.stat(path); });
}
Result<Stat> Writable::lstat(std::string_view path) const {
  return with(view(), [&](const View& view) { return view.lstat(path); });
}
Result<std::string> Writable::readlink(std::string_view path) const {
  return with(view(), [&](const View& view) { return view.readlink(path); });
}
Result<std::vector<Xattr>> Writable::xattrs(std::string_view path) const {
  return with(view(), [&](const View& view) { return view.xattrs(path); });
}
Result<Totals> Writable::totals(std::string_view path) const {
  return with(view(), [&](const View& view) { return view.totals(path); });
}

Result<bool> Writable::exists(std::string_view path) const {
  const auto found = lstat(path);
  if (found) return true;
  const ErrorCode code = found.error().code();
  if (code == ErrorCode::no_entry || code == ErrorCode::not_a_directory) return false;
  return std::unexpected(found.error());
}

Listing Writable::list(std::string_view path, std::string_view from) const {
  const auto now = lasting_view();
  if (!now) return Listing(now.error());
  return now->list(path, from);
}

}  // namespace packfs
