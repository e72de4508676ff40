#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs::pack {

/// Gathers what verification finds and tells how far it has come. One thread at a time.
class VerifyLog {
 public:
  VerifyLog(const std::function<bool(std::uint64_t, std::uint64_t)>& progress, std::uint64_t total)
      : progress_(progress), total_(total) {}

  /// Notes one damage; an errno of the host among them ends verification (failed()).
  void damage(Error error) {
    const int code = static_cast<int>(error.code());
    if (code > 0 && error.code() != ErrorCode::no_entry) {
      if (!failure_) failure_ = std::move(error);
      return;
    }
    ++report_.damages;
    if (report_.damage.size() < VerifyReport::kMaxDamage) report_.damage.push_back(std::move(error));
  }

  /// The same with a path, which is looked up only for damage that will be listed: that may be long work.
  template <class Path>
  void damage_at(Error error, Path path) {
    const bool listed = report_.damage.size() < VerifyReport::kMaxDamage;
    damage(listed ? error.with_path(path()) : std::move(error));
  }

  /// Counts bytes as checked. Calls the progress function once for each megabyte; it may cancel.
  void advance(std::uint64_t bytes) {
    report_.bytes_checked += bytes;
    if (report_.bytes_checked - told_ < kStep || !progress_) return;
    told_ = report_.bytes_checked;
    if (!progress_(told_, total_) && !failure_) failure_ = Error::from_errno(ECANCELED);
  }

  /// Verification cannot go on: the host failed, or the caller cancelled.
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  [[nodiscard]] VerifyReport& report() noexcept { return report_; }

  Result<VerifyReport> finish() && {
    if (failure_) return std::unexpected(std::move(*failure_));
    return std::move(report_);
  }

 private:
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  const std::function<bool(std::uint64_t, std::uint64_t)>& progress_;
  std::uint64_t total_;
  std::uint64_t told_ = 0;
  VerifyReport report_;
  std::optional<Error> failure_;
};

}  // namespace packfs::pack
