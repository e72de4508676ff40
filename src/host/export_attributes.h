#pragma once

#include <cstdint>
#include <vector>

#include "base/io.h"
#include "host/attribute_target.h"
#include "host/export.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// What of an entry's attributes did not come through, each with a note that says which.
struct AttributeProblems {
  std::vector<Error> incomplete;  ///< could not be set
  std::vector<Error> withheld;    ///< is set with ExportOptions::privileged only
  bool owner_not_set = false;     ///< it belongs to somebody else, and owners are not set
};

/// Gives entries their attributes in the order in which none undoes another: owner (which clears setid bits and
/// capabilities), user.* attributes (which need write permission), mode, ACLs and other attributes, times.
/// Threads: any.
class AttributeWriter {
 public:
  explicit AttributeWriter(const ExportOptions& options);

  /// `inherited_acl`: it was made in a directory with a default ACL, so that it may have got one that is not its own.
  void apply(const AttributeTarget& target, const Stat& stat, const std::vector<Xattr>& xattrs, bool inherited_acl,
             AttributeProblems& problems) const;

 private:
  void apply_owner(const AttributeTarget& target, const Stat& stat, AttributeProblems& problems) const;
  void apply_mode(const AttributeTarget& target, const Stat& stat, AttributeProblems& problems) const;
  enum class Xattrs : bool { of_user, others };
  void apply_xattrs(const AttributeTarget& target, const std::vector<Xattr>& xattrs, Xattrs which,
                    AttributeProblems& problems) const;

  bool privileged_;
  bool set_owner_;
  std::uint32_t own_uid_;
  std::uint32_t own_gid_;
};

}  // namespace packfs::host
