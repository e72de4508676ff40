#include "packfs/error.h"

#include <cstring>
#include <utility>

namespace packfs {

struct Error::Details {
  std::string path;
  std::optional<std::uint64_t> offset;
  std::string note;
};

namespace {

std::string describe(ErrorCode code) {
  switch (code) {
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::poisoned:
      return "poisoned by an earlier failed write";
    case ErrorCode::escapes_root:
      return "path escapes its root";
    case ErrorCode::unsupported_version:
      return "unsupported version";
    case ErrorCode::not_a_pack:
      return "not a pack";
    default:
      break;
  }
  // Not strerror(): it is not thread-safe, and the text would follow the host program's locale.
  const char* text = ::strerrordesc_np(static_cast<int>(code));
  return text != nullptr ? text : "error " + std::to_string(static_cast<int>(code));
}

}  // namespace

Error Error::with_path(std::string_view path) const {
  if (path.empty() || !this->path().empty()) return *this;
  auto details = details_ ? std::make_shared<Details>(*details_) : std::make_shared<Details>();
  details->path = path;
  Error error(code_);
  error.details_ = std::move(details);
  return error;
}

Error Error::with_offset(std::uint64_t offset) const {
  auto details = details_ ? std::make_shared<Details>(*details_) : std::make_shared<Details>();
  details->offset = offset;
  Error error(code_);
  error.details_ = std::move(details);
  return error;
}

Error Error::with_note(std::string_view note) const {
  auto details = details_ ? std::make_shared<Details>(*details_) : std::make_shared<Details>();
  details->note = note;
  Error error(code_);
  error.details_ = std::move(details);
  return error;
}

int Error::to_errno() const noexcept {
  switch (code_) {
    case ErrorCode::corrupt:
    case ErrorCode::poisoned:
      return EIO;
    case ErrorCode::escapes_root:
      return EXDEV;
    case ErrorCode::unsupported_version:
      return ENOTSUP;
    case ErrorCode::not_a_pack:
      return EINVAL;
    default:
      return static_cast<int>(code_);
  }
}

std::string_view Error::path() const noexcept { return details_ ? std::string_view(details_->path) : ""; }

std::optional<std::uint64_t> Error::offset() const noexcept { return details_ ? details_->offset : std::nullopt; }

std::string Error::message() const {
  std::string text = describe(code_);
  if (!details_) return text;
  if (!details_->path.empty()) text = details_->path + ": " + text;
  if (details_->offset) text += " at offset " + std::to_string(*details_->offset);
  if (!details_->note.empty()) text += " (" + details_->note + ")";
  return text;
}

}  // namespace packfs
