#include <limits>
#include <optional>
#include <utility>

#include "stress/model.h"

namespace packfs::stress {

namespace {

constexpr auto kMaxSize = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

}  // namespace

/// open(2) with O_CREAT. An existing file keeps all it has but its content.
Expected<ModelId> Model::open_to_write(std::string_view path, const CreateOptions& options) {
  if (options.mode > 07777) return std::unexpected(ErrorCode::invalid);
  const Last last = options.exclusive ? Last::created_new : Last::created;
  std::optional<Model> before;
  if (options.make_parents) before = *this;
  const auto place = options.make_parents ? walk_making_parents(path, last) : walk(path, last);
  Expected<ModelId> opened = std::unexpected(place ? ErrorCode::invalid : place.error());
  if (place && place->id == 0) {
    opened = make(FileType::regular, options.mode);
    enter(place->directory(), place->name, *opened);
  } else if (place) {
    if (options.exclusive) {
      opened = std::unexpected(ErrorCode::exists);  // before EISDIR, as do_open() in Linux
    } else if (is_directory(place->id)) {
      opened = std::unexpected(ErrorCode::is_a_directory);
    } else if (inode(place->id).type == FileType::regular) {
      opened = place->id;
    }
  }
  if (!opened && before) *this = std::move(*before);
  return opened;
}

/// open(2) without O_CREAT, to write.
Expected<ModelId> Model::existing_file(std::string_view path) const {
  const auto id = look_up(path, LastLink::followed);
  if (!id) return id;
  if (is_directory(*id)) return std::unexpected(ErrorCode::is_a_directory);
  if (inode(*id).type != FileType::regular) return std::unexpected(ErrorCode::invalid);
  return id;
}

Done Model::write(std::string_view path, std::string_view content, const CreateOptions& options) {
  const Attributes* const given = options.attributes;
  if (given != nullptr && (options.make_parents || !can_be_given(*given))) return std::unexpected(ErrorCode::invalid);
  const auto id = open_to_write(path, options);
  if (!id) return std::unexpected(id.error());
  at(*id).bytes = content;
  change_content(*id);
  if (const auto copy = faulty_clones_.find(*id); copy != faulty_clones_.end() && inodes_.contains(copy->second)) {
    at(copy->second).bytes = content;
  }
  if (given != nullptr) give(*id, *given);
  return {};
}

Done Model::append(std::string_view path, std::string_view content, const CreateOptions& options) {
  const auto id = open_to_write(path, options);
  if (!id) return std::unexpected(id.error());
  if (content.empty()) return {};  // write(2): zero bytes have no effect
  std::string& bytes = at(*id).bytes;
  bytes.insert(fault_ == Fault::append_writes_at_begin ? 0 : bytes.size(), content);
  change_content(*id);
  return {};
}

Done Model::write_at(std::string_view path, std::uint64_t offset, std::string_view content) {
  const auto id = existing_file(path);
  if (!id) return std::unexpected(id.error());
  if (content.empty()) return {};  // nothing is written, so nothing grows and nothing is too large
  if (offset > kMaxSize || content.size() > kMaxSize - offset) return std::unexpected(ErrorCode::too_large);
  std::string& bytes = at(*id).bytes;
  if (bytes.size() < offset + content.size()) bytes.resize(offset + content.size());
  bytes.replace(offset, content.size(), content);
  change_content(*id);
  return {};
}

/// Whether a truncation to the same size changes mtime is left open by POSIX: it is not known from then on.
Done Model::truncate(std::string_view path, std::uint64_t size) {
  const auto id = existing_file(path);
  if (!id) return std::unexpected(id.error());
  if (size > kMaxSize) return std::unexpected(ErrorCode::too_large);
  at(*id).bytes.resize(size, fault_ == Fault::growing_fills_with_ones ? '\1' : '\0');
  change_content(*id);
  return {};
}

}  // namespace packfs::stress
