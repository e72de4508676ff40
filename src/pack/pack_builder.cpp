#include "packfs/pack_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/io.h"
#include "pack/output_file.h"
#include "pack/writer.h"
#include "path/path.h"
#include "tree/copy_tree.h"
#include "tree/sink.h"

namespace packfs {

namespace {

using DirectoryId = tree::Sink::DirectoryId;

class MemorySource final : public tree::ContentSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] bool in_memory() const override { return true; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return bytes_; }
  [[nodiscard]] bool rereadable() const override { return true; }
  [[nodiscard]] std::uint64_t expected_size() const override { return bytes_.size(); }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    const auto rest = bytes_.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size())));
    const std::size_t count = std::min(rest.size(), buffer.size());
    std::copy_n(rest.begin(), count, buffer.begin());
    return count;
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override { return offset; }

 private:
  std::span<const std::byte> bytes_;
};

class StreamSource final : public tree::ContentSource {
 public:
  explicit StreamSource(const ByteStream& stream) noexcept : stream_(stream) {}
  [[nodiscard]] bool in_memory() const override { return false; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return {}; }
  [[nodiscard]] bool rereadable() const override { return false; }
  [[nodiscard]] std::uint64_t expected_size() const override { return 0; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t, std::span<std::byte> buffer) override {
    return stream_(buffer);
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override { return offset; }

 private:
  const ByteStream& stream_;
};

/// Gives `result`'s error the path it is about.
template <class T>
Result<void> about(const Result<T>& result, std::string_view path) {
  if (!result) return std::unexpected(result.error().with_path(path));
  return {};
}

}  // namespace

struct PackBuilder::State {
  std::optional<pack::OutputFile> file;
  std::unique_ptr<pack::Writer> writer;
  // The directory of the path that was looked up last: neighbours usually follow one another.
  std::string last_parent;
  DirectoryId last_directory{};

  struct Place {
    DirectoryId parent{};
    std::string_view name;
    bool requires_directory = false;
  };
  std::optional<Place> near(std::string_view path) const;
  Result<Place> place(std::string_view path);
  Result<Place> place_of_file(std::string_view path);
  Result<DirectoryId> enter(DirectoryId parent, std::string_view name);
};

/// The place of a path in the last directory. A last component that says more than a name is left to place().
std::optional<PackBuilder::State::Place> PackBuilder::State::near(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  if (path.size() > path::kMaxPath || slash == std::string_view::npos) return std::nullopt;
  if (path.substr(0, slash) != last_parent) return std::nullopt;
  const std::string_view name = path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return std::nullopt;
  return Place{.parent = last_directory, .name = name};
}

Result<DirectoryId> PackBuilder::State::enter(DirectoryId parent, std::string_view name) {
  if (const auto found = writer->find_directory(parent, name)) return *found;
  return std::unexpected(writer->find(parent, name) ? ErrorCode::not_a_directory : ErrorCode::no_entry);
}

/// Where a new entry goes. Errors: exists (the root); those of the path and of its parents.
Result<PackBuilder::State::Place> PackBuilder::State::place(std::string_view path) {
  if (const auto known = near(path)) return *known;
  path::Splitter splitter(path);
  Place place;
  place.parent = tree::Sink::kRoot;
  while (splitter.next()) {
    if (splitter.is_last()) {
      place.name = splitter.component();
      place.requires_directory = splitter.requires_directory();
      const auto before = static_cast<std::size_t>(place.name.data() - path.data());
      if (before > 0 && path.size() <= path::kMaxPath) {
        last_parent.assign(path, 0, before - 1);
        last_directory = place.parent;
      }
      return place;
    }
    const auto next = enter(place.parent, splitter.component());
    if (!next) return std::unexpected(splitter.error_ahead() ? Error(*splitter.error_ahead()) : next.error());
    place.parent = *next;
  }
  return std::unexpected(splitter.error().value_or(ErrorCode::exists));
}

Result<PackBuilder::State::Place> PackBuilder::State::place_of_file(std::string_view path) {
  auto found = place(path);
  if (found && found->requires_directory) return std::unexpected(ErrorCode::not_a_directory);
  return found;
}

PackBuilder::PackBuilder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
PackBuilder::PackBuilder(PackBuilder&&) noexcept = default;
PackBuilder& PackBuilder::operator=(PackBuilder&&) noexcept = default;
PackBuilder::~PackBuilder() = default;

Result<PackBuilder> PackBuilder::create(const std::string& path, const BuildOptions& options) {
  auto state = std::make_unique<State>();
  auto file = pack::OutputFile::create(base::system_io(), path);
  if (!file) return std::unexpected(file.error());
  state->file.emplace(std::move(*file));
  auto writer = pack::Writer::create(base::system_io(), state->file->descriptor(), options);
  if (!writer) return std::unexpected(writer.error());
  state->writer = std::move(*writer);
  return PackBuilder(std::move(state));
}

Result<PackBuilder> PackBuilder::create(int descriptor, const BuildOptions& options) {
  auto state = std::make_unique<State>();
  auto writer = pack::Writer::create(base::system_io(), descriptor, options);
  if (!writer) return std::unexpected(writer.error());
  state->writer = std::move(*writer);
  return PackBuilder(std::move(state));
}

Result<void> PackBuilder::add_directory(std::string_view path, const Attributes& attributes) {
  const auto place = state_->place(path);
  if (!place) return about(place, path);
  return about(state_->writer->add_directory(place->parent, place->name, attributes), path);
}

Result<void> PackBuilder::make_parents(std::string_view path, const Attributes& attributes) {
  if (const auto error = path::Splitter(path).error_ahead()) return std::unexpected(Error(*error).with_path(path));
  path::Splitter splitter(path);
  DirectoryId directory = tree::Sink::kRoot;
  while (splitter.next()) {
    const auto known = state_->writer->find_directory(directory, splitter.component());
    if (known) {
      directory = *known;
      continue;
    }
    const auto added = state_->writer->add_directory(directory, splitter.component(), attributes);
    if (!added && added.error().code() == ErrorCode::exists) {
      return std::unexpected(Error(ErrorCode::not_a_directory).with_path(path));
    }
    if (!added) return about(added, path);
    directory = *added;
  }
  return {};
}

Result<void> PackBuilder::add_file(std::string_view path, const Attributes& attributes,
                                   std::span<const std::byte> content) {
  const auto place = state_->place_of_file(path);
  if (!place) return about(place, path);
  MemorySource source(content);
  return about(state_->writer->add_file(place->parent, place->name, attributes, source), path);
}

Result<void> PackBuilder::add_file(std::string_view path, const Attributes& attributes, const ByteStream& content) {
  const auto place = state_->place_of_file(path);
  if (!place) return about(place, path);
  StreamSource source(content);
  return about(state_->writer->add_file(place->parent, place->name, attributes, source), path);
}

Result<void> PackBuilder::add_symlink(std::string_view path, const Attributes& attributes, std::string_view target) {
  const auto place = state_->place_of_file(path);
  if (!place) return about(place, path);
  return about(state_->writer->add_symlink(place->parent, place->name, attributes, target), path);
}

Result<void> PackBuilder::add_special(std::string_view path, const Attributes& attributes, FileType type,
                                      std::uint32_t major, std::uint32_t minor) {
  const auto place = state_->place_of_file(path);
  if (!place) return about(place, path);
  return about(state_->writer->add_special(place->parent, place->name, attributes, type, major, minor), path);
}

Result<void> PackBuilder::add_link(std::string_view path, std::string_view existing) {
  const auto target = state_->place(existing);
  if (!target) {
    const bool is_root = target.error().code() == ErrorCode::exists;
    return std::unexpected((is_root ? Error(ErrorCode::not_permitted) : target.error()).with_path(existing));
  }
  const auto found = state_->writer->find(target->parent, target->name);
  if (!found) return std::unexpected(Error(ErrorCode::no_entry).with_path(existing));
  if (found->type == FileType::directory) return std::unexpected(Error(ErrorCode::not_permitted).with_path(existing));
  if (target->requires_directory) return std::unexpected(Error(ErrorCode::not_a_directory).with_path(existing));
  const auto place = state_->place_of_file(path);
  if (!place) return about(place, path);
  return about(state_->writer->add_link(place->parent, place->name, found->entry), path);
}

Result<void> PackBuilder::add_tree(const View& tree) { return tree::copy_tree(tree, *state_->writer); }

Result<PackInfo> PackBuilder::finish() {
  auto info = state_->writer->finish();
  if (!info || !state_->file) return info;
  if (auto committed = state_->file->commit(); !committed) return std::unexpected(committed.error());
  return info;
}

}  // namespace packfs
