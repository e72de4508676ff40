#include "host/export.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/io_loops.h"
#include "host/export_run.h"
#include "host/uninterrupted.h"

namespace packfs::host {

Result<Exporter> Exporter::open(base::Io& io, const View& view, const std::string& target,
                                const ExportOptions& options) {
  const int made = uninterrupted([&] { return io.mkdirat(AT_FDCWD, target.c_str(), 0777); });
  if (made < 0 && made != -EEXIST) return std::unexpected(Error::from_errno(-made).with_path(target));
  const int returned =
      uninterrupted([&] { return io.openat(AT_FDCWD, target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0); });
  if (auto opened = base::checked(returned); !opened) return std::unexpected(opened.error().with_path(target));
  return Exporter(std::make_unique<Run>(io, view, base::unique_fd(io, returned), options, made == 0));
}

Exporter::Exporter(std::unique_ptr<Run> run) noexcept : run_(std::move(run)) {}
Exporter::Exporter(Exporter&&) noexcept = default;
Exporter& Exporter::operator=(Exporter&&) noexcept = default;
Exporter::~Exporter() = default;

Result<void> Exporter::write_all() { return run_->write_all(); }
Result<void> Exporter::write_one(std::string_view path) { return run_->write_one(path); }
const ExportReport& Exporter::report() const noexcept { return run_->report(); }

}  // namespace packfs::host
