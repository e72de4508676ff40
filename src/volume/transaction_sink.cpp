#include "volume/transaction_sink.h"

#include <algorithm>
#include <utility>

#include "content/encode.h"
#include "content/format.h"
#include "path/path.h"
#include "volume/plain_path.h"

namespace packfs::volume {
namespace {

using Kind = tree::Operation::Kind;

constexpr std::size_t kPiece = pack::ContentFeed::kWindowBytes;
constexpr std::size_t kMostName = 255;

}  // namespace

TransactionSink::TransactionSink(Transaction& transaction, std::string plain_path)
    : transaction_(transaction), root_path_(std::move(plain_path)), directories_(1), path_(root_path_) {}

Result<TransactionSink> TransactionSink::at(Transaction& transaction, std::string_view directory) {
  const auto view = transaction.view();
  if (!view) return std::unexpected(view.error());
  // Without symlinks: what comes in may take the place of one.
  auto plain = plain_path(*view, directory);
  if (!plain) return std::unexpected(std::move(plain.error()));
  return TransactionSink(transaction, std::move(*plain));
}

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

/// Gives what has a name another one, of the same directory; returns that. Errors: exists (it is a directory).
Result<std::string> TransactionSink::move_aside(std::string_view path) const {
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

/// What failed was taken back, or not: then part of an entry is there, and finish() says so.
Result<void> TransactionSink::undone(Result<void> done, const Result<void>& failure) {
  if (done) return failure;
  if (whole_) whole_ = done;
  return done;
}

/// Makes something under a name that is taken by what is no directory. That comes back when it fails.
template <class Make>
Result<void> TransactionSink::in_place_of(std::string_view path, Make make) {
  const auto aside = move_aside(path);
  if (!aside) return std::unexpected(aside.error());
  auto made = make();
  if (made) return transaction_.unlink(*aside);
  return undone(transaction_.rename(*aside, path), made);
}

/// Runs an operation that makes something, in the place of what is no directory.
Result<void> TransactionSink::make(const tree::Operation& operation) {
  auto made = run(operation);
  if (made || made.error().code() != ErrorCode::exists) return made;
  return in_place_of(operation.path, [&] { return run(operation); });
}

Result<void> TransactionSink::set_root(const Attributes& attributes) {
  if (keeps_root_) return {};
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
  pack::ContentFeed feed(content, buffer_);
  const auto first = feed.first();
  if (!first) return std::unexpected(first.error());
  const std::span<const std::byte> bytes = content.in_memory() ? content.bytes() : *first;
  std::uint64_t size = bytes.size();
  if ((content.in_memory() || feed.is_whole()) && content::leading_data(bytes) == size) {
    auto made =
        make({.kind = Kind::write, .exclusive = true, .path = *path, .bytes = bytes, .attributes = &attributes});
    if (!made) return std::unexpected(std::move(made.error()));
  } else {
    const auto streamed = stream(*path, attributes, feed);
    if (!streamed) return std::unexpected(streamed.error());
    size = *streamed;
  }
  const auto entry = added(parent, name);
  if (!entry) return std::unexpected(entry.error());
  return Added{*entry, size};
}

/// A content piece by piece, or one with holes. When it fails, nothing of it is there.
Result<std::uint64_t> TransactionSink::stream(const std::string& path, const Attributes& attributes,
                                              pack::ContentFeed& feed) {
  const tree::Operation empty{.kind = Kind::write, .exclusive = true, .path = path, .attributes = &attributes};
  std::uint64_t offset = 0;
  std::uint64_t written = 0;
  const auto fill = [&]() -> Result<void> {
    while (offset < feed.limit()) {
      const auto data = feed.next_data(offset);
      if (!data) return std::unexpected(data.error());
      offset = std::max(offset, *data - *data % content::kHoleBytes);
      const auto want = std::min(feed.limit() - offset, kPiece - offset % kPiece);
      const auto window = feed.read(offset, static_cast<std::size_t>(want));
      if (!window) return std::unexpected(window.error());
      if (auto added = append(path, offset, *window, written); !added) return added;
      offset += window->size();
      if (window->size() < want) break;
    }
    if (written != offset) {
      if (auto grown = transaction_.truncate(path, offset); !grown) return grown;
    }
    return transaction_.set_mtime(path, attributes.mtime, LastLink::kept);
  };
  const auto make_all = [&]() -> Result<void> {
    if (auto made = run(empty); !made) return made;
    auto filled = fill();
    if (filled) return filled;
    return undone(transaction_.unlink(path), filled);
  };
  auto made = make_all();
  if (!made && made.error().code() == ErrorCode::exists) made = in_place_of(path, make_all);
  if (!made) return std::unexpected(std::move(made.error()));
  return offset;
}

/// What of a window is no hole, as far as `written` not yet reached.
Result<void> TransactionSink::append(const std::string& path, std::uint64_t offset, std::span<const std::byte> window,
                                     std::uint64_t& written) const {
  std::size_t at = content::leading_hole(window);
  while (at < window.size()) {
    const auto data = window.subspan(at, content::leading_data(window.subspan(at)));
    if (written != offset + at) {
      if (auto grown = transaction_.truncate(path, offset + at); !grown) return grown;
    }
    if (auto added = run({.kind = Kind::append, .path = path, .bytes = data}); !added) return added;
    at += data.size();
    written = offset + at;
    at += content::leading_hole(window.subspan(at));
  }
  return {};
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
  if (!whole_) return whole_;
  for (std::size_t i = directories_.size(); i-- > 1;) {
    const std::string& path = path_of(static_cast<DirectoryId>(i));
    if (auto set = transaction_.set_mtime(path, directories_[i].mtime, LastLink::kept); !set) return set;
  }
  if (!has_root_) return {};
  return run({.kind = Kind::set_attributes, .path = root_path_, .attributes = &root_});
}

}  // namespace packfs::volume
