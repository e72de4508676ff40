#include "volume/transaction_sink.h"

#include <algorithm>
#include <utility>

#include "path/path.h"

namespace packfs::volume {
namespace {

using Kind = tree::Operation::Kind;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kMostName = 255;

}  // namespace

TransactionSink::TransactionSink(Transaction& transaction, std::string_view directory)
    : transaction_(transaction), root_path_(directory), directories_(1), path_(directory) {}

Result<void> TransactionSink::run(const tree::Operation& operation) const { return transaction_.run(operation); }

std::string_view TransactionSink::name_of(const Known& known) const noexcept {
  return std::string_view(names_).substr(known.name, known.name_length);
}

TransactionSink::Known TransactionSink::remember(DirectoryId parent, std::string_view name) {
  const Known known{static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(name.size()), names_.size()};
  names_ += name;
  return known;
}

Result<tree::Sink::EntryId> TransactionSink::added(DirectoryId parent, std::string_view name) {
  entries_.push_back(remember(parent, name));
  return static_cast<EntryId>(entries_.size() - 1);
}

/// Built anew only when another directory was asked for last: entries come by directory.
const std::string& TransactionSink::path_of(DirectoryId directory) {
  const auto wanted = static_cast<std::uint32_t>(directory);
  if (wanted == path_is_of_) return path_;
  std::vector<std::string_view> names;
  for (std::uint32_t at = wanted; at != 0; at = directories_[at].known.parent) {
    names.push_back(name_of(directories_[at].known));
  }
  path_ = root_path_;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!path_.empty()) path_ += '/';
    path_ += *name;
  }
  path_is_of_ = wanted;
  return path_;
}

Result<std::string> TransactionSink::path_of(DirectoryId parent, std::string_view name) {
  if (const auto bad = path::check_component(name)) return std::unexpected(Error(*bad));
  const std::string& above = path_of(parent);
  std::string path(above);
  if (!path.empty()) path += '/';
  path += name;
  return path;
}

/// Runs an operation that makes something; what has the name and is no directory goes.
Result<void> TransactionSink::make(const tree::Operation& operation) const {
  auto made = run(operation);
  if (made || made.error().code() != ErrorCode::exists) return made;
  const auto there = transaction_.lstat(operation.path);
  if (!there) return std::unexpected(there.error());
  if (there->type == FileType::directory) return made;
  if (auto removed = transaction_.unlink(operation.path); !removed) return removed;
  return run(operation);
}

Result<void> TransactionSink::set_root(const Attributes& attributes) {
  root_ = attributes;
  has_root_ = true;
  // What is wrong in them is told now.
  return run({.kind = Kind::set_attributes, .path = root_path_, .attributes = &root_});
}

Result<tree::Sink::DirectoryId> TransactionSink::add_directory(DirectoryId parent, std::string_view name,
                                                               const Attributes& attributes) {
  const auto path = path_of(parent, name);
  if (!path) return std::unexpected(path.error());
  auto made = run({.kind = Kind::make_directory, .path = *path, .attributes = &attributes});
  if (!made && made.error().code() == ErrorCode::exists) {
    const auto there = transaction_.lstat(*path);
    if (!there) return std::unexpected(there.error());
    if (there->type == FileType::directory) {
      made = run({.kind = Kind::set_attributes, .path = *path, .attributes = &attributes});
    }
  }
  if (!made) return std::unexpected(std::move(made.error()));
  directories_.push_back({remember(parent, name), attributes.mtime});
  return static_cast<DirectoryId>(directories_.size() - 1);
}

Result<tree::Sink::Added> TransactionSink::add_file(DirectoryId parent, std::string_view name,
                                                    const Attributes& attributes, tree::ContentSource& content) {
  const auto path = path_of(parent, name);
  if (!path) return std::unexpected(path.error());
  std::uint64_t size = 0;
  if (content.in_memory()) {
    size = content.bytes().size();
    auto made = make(
        {.kind = Kind::write, .exclusive = true, .path = *path, .bytes = content.bytes(), .attributes = &attributes});
    if (!made) return std::unexpected(std::move(made.error()));
  } else {
    const auto streamed = stream(*path, attributes, content);
    if (!streamed) return std::unexpected(streamed.error());
    size = *streamed;
  }
  const auto entry = added(parent, name);
  if (!entry) return std::unexpected(entry.error());
  return Added{*entry, size};
}

/// Gives what has a name another one, of the same directory; returns that. Errors: exists (it is a directory).
Result<std::string> TransactionSink::move_aside(const std::string& path) const {
  const auto there = transaction_.lstat(path);
  if (!there) return std::unexpected(there.error());
  if (there->type == FileType::directory) return std::unexpected(Error(ErrorCode::exists));
  const std::size_t name = path.rfind('/') + 1;
  for (std::uint64_t number = 1;; ++number) {
    std::string suffix(1, '~');
    suffix += std::to_string(number);
    std::string aside(path, 0, name + kMostName - suffix.size());
    aside += suffix;
    const auto moved = transaction_.rename(path, aside, RenameMode::no_replace);
    if (moved) return aside;
    if (moved.error().code() != ErrorCode::exists) return std::unexpected(moved.error());
  }
}

/// A content piece by piece. What the name had before comes back when that fails.
Result<std::uint64_t> TransactionSink::stream(const std::string& path, const Attributes& attributes,
                                              tree::ContentSource& content) {
  const tree::Operation empty{.kind = Kind::write, .exclusive = true, .path = path, .attributes = &attributes};
  std::string aside;
  auto made = run(empty);
  if (!made && made.error().code() == ErrorCode::exists) {
    auto moved = move_aside(path);
    if (!moved) return std::unexpected(std::move(moved.error()));
    aside = std::move(*moved);
    made = run(empty);
  }
  if (!made) return std::unexpected(std::move(made.error()));
  auto size = append_all(path, content);
  if (!size) {
    auto undone = transaction_.unlink(path);
    if (undone && !aside.empty()) undone = transaction_.rename(aside, path);
    if (!undone) return std::unexpected(std::move(undone.error()));
    return size;
  }
  if (!aside.empty()) {
    if (auto removed = transaction_.unlink(aside); !removed) return std::unexpected(std::move(removed.error()));
  }
  auto stamped = transaction_.set_mtime(path, attributes.mtime, LastLink::kept);
  if (!stamped) return std::unexpected(std::move(stamped.error()));
  return size;
}

Result<std::uint64_t> TransactionSink::append_all(const std::string& path, tree::ContentSource& content) {
  if (!buffer_) buffer_ = base::Buffer(kPiece);
  std::uint64_t written = 0;
  std::uint64_t offset = 0;
  for (;;) {
    if (content.rereadable()) {
      const auto data = content.next_data(offset);
      if (!data) return std::unexpected(data.error());
      offset = std::max(offset, *data);
    }
    const auto count = content.read(offset, buffer_.span());
    if (!count) return std::unexpected(count.error());
    if (written != offset) {
      if (auto grown = transaction_.truncate(path, offset); !grown) return std::unexpected(std::move(grown.error()));
      written = offset;
    }
    if (*count == 0) return written;
    auto appended = run({.kind = Kind::append, .path = path, .bytes = buffer_.span().first(*count)});
    if (!appended) return std::unexpected(std::move(appended.error()));
    offset += *count;
    written = offset;
  }
}

Result<tree::Sink::EntryId> TransactionSink::add_symlink(DirectoryId parent, std::string_view name,
                                                         const Attributes& attributes, std::string_view target) {
  const auto path = path_of(parent, name);
  if (!path) return std::unexpected(path.error());
  auto made = make({.kind = Kind::symlink, .path = *path, .other = target, .attributes = &attributes});
  if (!made) return std::unexpected(std::move(made.error()));
  return added(parent, name);
}

Result<tree::Sink::EntryId> TransactionSink::add_special(DirectoryId parent, std::string_view name,
                                                         const Attributes& attributes, FileType type,
                                                         std::uint32_t major, std::uint32_t minor) {
  const auto path = path_of(parent, name);
  if (!path) return std::unexpected(path.error());
  auto made = make({.kind = Kind::make_special,
                    .type = type,
                    .major = major,
                    .minor = minor,
                    .path = *path,
                    .attributes = &attributes});
  if (!made) return std::unexpected(std::move(made.error()));
  return added(parent, name);
}

Result<void> TransactionSink::add_link(DirectoryId parent, std::string_view name, EntryId existing) {
  const Known known = entries_[static_cast<std::size_t>(existing)];
  const auto from = path_of(static_cast<DirectoryId>(known.parent), std::string(name_of(known)));
  if (!from) return std::unexpected(from.error());
  const auto path = path_of(parent, name);
  if (!path) return std::unexpected(path.error());
  return make({.kind = Kind::link, .path = *path, .other = *from});
}

Result<void> TransactionSink::finish() {
  for (std::size_t i = directories_.size(); i-- > 1;) {
    const std::string& path = path_of(static_cast<DirectoryId>(i));
    if (auto set = transaction_.set_mtime(path, directories_[i].mtime, LastLink::kept); !set) return set;
  }
  if (!has_root_) return {};
  return run({.kind = Kind::set_attributes, .path = root_path_, .attributes = &root_});
}

}  // namespace packfs::volume
