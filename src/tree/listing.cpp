#include <utility>

#include "packfs/view.h"
#include "tree/table.h"

namespace packfs {

Listing::Listing(Ref<const tree::Table> table, std::unique_ptr<tree::Cursor> cursor) noexcept
    : table_(std::move(table)), cursor_(std::move(cursor)) {}

Listing::Listing(Error error) noexcept : current_(std::unexpected(std::move(error))) {}

Listing::Listing(Listing&&) noexcept = default;
Listing& Listing::operator=(Listing&& other) noexcept {
  if (this != &other) {
    cursor_ = std::move(other.cursor_);  // before the table it borrows
    table_ = std::move(other.table_);
    batch_ = other.batch_;
    next_ = other.next_;
    filled_ = other.filled_;
    ended_ = other.ended_;
    current_ = std::move(other.current_);
  }
  return *this;
}
Listing::~Listing() { cursor_.reset(); }

bool Listing::refill() {
  if (ended_) return false;
  if (cursor_ == nullptr) {
    ended_ = true;
    return !current_.has_value();
  }
  auto filled = cursor_->next(batch_);
  if (!filled) {
    ended_ = true;
    current_ = std::unexpected(std::move(filled.error()));
    return true;
  }
  if (*filled == 0) {
    ended_ = true;
    return false;
  }
  filled_ = *filled;
  next_ = 1;
  current_ = batch_[0];
  return true;
}

}  // namespace packfs
