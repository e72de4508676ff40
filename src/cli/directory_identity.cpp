#include "cli/directory_identity.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace packfs::cli {

Result<host::FileIdentity> directory_at(const std::string& path, Context& context) {
  struct statx status{};
  const int known = context.io.statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS, &status);
  if (known < 0) return std::unexpected(Error::from_errno(-known).with_path(path));
  if (host::type_of(status) == FileType::directory) return host::identity_of(status);
  return std::unexpected(Error(ErrorCode::not_a_directory).with_path(path));
}

}  // namespace packfs::cli
