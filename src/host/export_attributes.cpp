#include "host/export_attributes.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace packfs::host {

namespace {

constexpr std::uint32_t kSetidBits = 06000;
constexpr std::string_view kCapability = "security.capability";
constexpr std::string_view kAccessAcl = "system.posix_acl_access";

void note(std::vector<Error>& list, const Result<void>& result, std::string_view what) {
  if (!result) list.push_back(result.error().with_note(what));
}

bool has(const std::vector<Xattr>& xattrs, std::string_view name) {
  return std::ranges::find(xattrs, name, &Xattr::name) != xattrs.end();
}

// Filesystems clamp what they cannot keep without a word; all keep these.
bool is_ordinary(Time time) { return time.seconds >= 0 && time.seconds <= INT32_MAX; }

void apply_mtime(const AttributeTarget& target, Time mtime, AttributeProblems& problems) {
  // The kernel reads special meanings into larger values.
  const auto set =
      mtime.nanoseconds < 1'000'000'000 ? target.set_mtime(mtime) : std::unexpected(Error(ErrorCode::corrupt));
  note(problems.incomplete, set, "modification time");
  if (!set || is_ordinary(mtime)) return;
  auto status = target.status();
  if (status && attributes_of(*status).mtime == mtime) return;
  problems.incomplete.push_back(
      Error(ErrorCode::not_supported).with_note("modification time out of the filesystem's range"));
}

}  // namespace

AttributeWriter::AttributeWriter(const ExportOptions& options)
    : privileged_(options.privileged),
      set_owner_(options.owner == Choice::always || (options.owner == Choice::automatic && ::geteuid() == 0)),
      own_uid_(::geteuid()),
      own_gid_(::getegid()) {}

void AttributeWriter::apply(const AttributeTarget& target, const Stat& stat, const std::vector<Xattr>& xattrs,
                            bool inherited_acl, AttributeProblems& problems) const {
  apply_owner(target, stat, problems);
  apply_xattrs(target, xattrs, Xattrs::of_user, problems);
  if (stat.type != FileType::symlink) {
    if (inherited_acl && !has(xattrs, kAccessAcl))
      note(problems.incomplete, drop_acl(target, stat.mode), "inherited ACL");
    apply_mode(target, stat, problems);
  }
  apply_xattrs(target, xattrs, Xattrs::others, problems);
  apply_mtime(target, stat.mtime, problems);
}

void AttributeWriter::apply_owner(const AttributeTarget& target, const Stat& stat, AttributeProblems& problems) const {
  if (set_owner_) {
    note(problems.incomplete, target.set_owner(stat.uid, stat.gid), "owner");
  } else {
    problems.owner_not_set = stat.uid != own_uid_ || stat.gid != own_gid_;
  }
}

void AttributeWriter::apply_mode(const AttributeTarget& target, const Stat& stat, AttributeProblems& problems) const {
  std::uint32_t mode = stat.mode & 07777U;
  if (!privileged_ && (mode & kSetidBits) != 0) {
    problems.withheld.push_back(Error(ErrorCode::not_permitted).with_note("set-user-ID or set-group-ID bit"));
    mode &= ~kSetidBits;
  }
  const auto set = target.set_mode(mode);
  note(problems.incomplete, set, "mode");
  if (!set || (mode & ~0777U) == 0) return;
  // The kernel drops set-group-ID in silence when the group is not one of ours.
  auto status = target.status();
  if (status && (status->stx_mode & 07777U) == mode) return;
  problems.incomplete.push_back(Error(ErrorCode::not_permitted).with_note("mode bits beyond the permissions"));
}

void AttributeWriter::apply_xattrs(const AttributeTarget& target, const std::vector<Xattr>& xattrs, Xattrs which,
                                   AttributeProblems& problems) const {
  for (const Xattr& xattr : xattrs) {
    if (xattr.name.starts_with("user.") != (which == Xattrs::of_user)) continue;
    if (xattr.name == kCapability && !privileged_) {
      problems.withheld.push_back(Error(ErrorCode::not_permitted).with_note("file capabilities"));
      continue;
    }
    note(problems.incomplete, target.set_xattr(xattr.name.c_str(), xattr.value), "extended attribute " + xattr.name);
  }
}

}  // namespace packfs::host
