#include <utility>

#include "packfs/volume.h"
#include "tree/edit.h"

// The calls that volumes and transactions share: each packs its arguments for Writable::run(), or reads a view.
namespace packfs {
namespace {

/// A call of Edit with the arguments of the caller, which outlive it.
template <class Function>
struct Packed {
  static Result<void> call(tree::Edit& edit, const void* arguments) {
    return (*static_cast<const Function*>(arguments))(edit);
  }
};

}  // namespace

#define PACKFS_RUN(expression)                                             \
  const auto function = [&](tree::Edit& edit) { return edit.expression; }; \
  return run(&Packed<decltype(function)>::call, &function)

Result<void> Writable::write(std::string_view path, std::span<const std::byte> content, const CreateOptions& options) {
  PACKFS_RUN(write(path, content, {}, options));
}

Result<void> Writable::write(std::string_view path, std::unique_ptr<std::byte[]> content, std::size_t bytes,
                             const CreateOptions& options) {
  if (bytes <= tree::Dentry::kMaxInline) return write(path, std::span(content.get(), bytes), options);
  auto adopted = content::Content::adopt(std::move(content), bytes);
  if (!adopted) return std::unexpected(std::move(adopted.error()));
  const Ref<const content::Content> taken = std::move(*adopted);
  const std::span<const std::byte> size(static_cast<const std::byte*>(nullptr), 0);
  PACKFS_RUN(write(path, size, taken, options));
}

Result<void> Writable::append(std::string_view path, std::span<const std::byte> content, const CreateOptions& options) {
  PACKFS_RUN(append(path, content, options));
}
Result<void> Writable::write_at(std::string_view path, std::uint64_t offset, std::span<const std::byte> content) {
  PACKFS_RUN(write_at(path, offset, content));
}
Result<void> Writable::truncate(std::string_view path, std::uint64_t size) { PACKFS_RUN(truncate(path, size)); }
Result<void> Writable::make_directory(std::string_view path, std::uint32_t mode) {
  PACKFS_RUN(make_directory(path, mode));
}
Result<void> Writable::make_directories(std::string_view path, std::uint32_t mode) {
  PACKFS_RUN(make_directories(path, mode));
}
Result<void> Writable::remove_directory(std::string_view path) { PACKFS_RUN(remove_directory(path)); }
Result<void> Writable::unlink(std::string_view path) { PACKFS_RUN(unlink(path)); }
Result<void> Writable::remove_tree(std::string_view path) { PACKFS_RUN(remove_tree(path)); }
Result<void> Writable::rename(std::string_view from, std::string_view to, RenameMode mode) {
  PACKFS_RUN(rename(from, to, mode));
}
Result<void> Writable::clone(std::string_view from, std::string_view to) { PACKFS_RUN(clone(from, to)); }
Result<void> Writable::link(std::string_view existing, std::string_view path) { PACKFS_RUN(link(existing, path)); }
Result<void> Writable::symlink(std::string_view target, std::string_view path) { PACKFS_RUN(symlink(target, path)); }
Result<void> Writable::make_special(std::string_view path, FileType type, std::uint32_t mode, std::uint32_t major,
                                    std::uint32_t minor) {
  PACKFS_RUN(make_special(path, type, mode, major, minor));
}
Result<void> Writable::chmod(std::string_view path, std::uint32_t mode) { PACKFS_RUN(chmod(path, mode)); }
Result<void> Writable::chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last) {
  PACKFS_RUN(chown(path, uid, gid, last));
}
Result<void> Writable::set_mtime(std::string_view path, const Time& mtime, LastLink last) {
  PACKFS_RUN(set_mtime(path, mtime, last));
}
Result<void> Writable::set_xattr(std::string_view path, std::string_view name, std::span<const std::byte> value,
                                 XattrMode mode) {
  PACKFS_RUN(set_xattr(path, name, value, mode));
}
Result<void> Writable::remove_xattr(std::string_view path, std::string_view name) {
  PACKFS_RUN(remove_xattr(path, name));
}

#undef PACKFS_RUN

namespace {

/// A call of View, or the reason why there is none.
template <class Call>
auto with(const Result<View>& view, Call call) -> decltype(call(*view)) {
  if (!view) return std::unexpected(view.error());
  return call(*view);
}

}  // namespace

Result<File> Writable::open(std::string_view path) const {
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
