#include "volume/import_tree.h"

#include <fcntl.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "host/export.h"
#include "host/import.h"
#include "host/status.h"
#include "volume/transaction_sink.h"

namespace packfs::volume {
namespace {

constexpr unsigned kMostThreads = 16;

/// Which files the paths lead to; those that lead nowhere are left out.
Result<std::vector<host::FileIdentity>> identities_of(base::Io& io, std::span<const std::string> paths) {
  std::vector<host::FileIdentity> found;
  for (const std::string& path : paths) {
    struct statx status{};
    const int known = io.statx(AT_FDCWD, path.c_str(), AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS, &status);
    if (known == -ENOENT || known == -ENOTDIR) continue;
    if (known < 0) return std::unexpected(Error::from_errno(-known).with_path(path));
    found.push_back(host::identity_of(status));
  }
  return found;
}

host::ImportOptions host_options(const ImportOptions& options) {
  host::ImportOptions given;
  given.threads =
      options.threads != 0 ? options.threads : std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  given.one_device = options.one_device;
  given.progress = options.progress;
  return given;
}

/// Makes what is missing of the directory; true when it was made or is empty.
Result<bool> make_ready(Transaction& transaction, std::string_view into) {
  const auto there = transaction.stat(into);
  if (there && there->type != FileType::directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  if (there) {
    const auto totals = transaction.totals(into);
    if (!totals) return std::unexpected(totals.error());
    return totals->entries == 0;
  }
  if (there.error().code() != ErrorCode::no_entry) return std::unexpected(there.error());
  if (auto made = transaction.make_directories(into); !made) return std::unexpected(std::move(made.error()));
  return true;
}

Result<void> import_into(base::Io& io, std::span<const std::string> sources, Transaction& transaction,
                         std::string_view into, const ImportOptions& options, ImportReport& report) {
  const auto exclude = identities_of(io, options.exclude);
  if (!exclude) return std::unexpected(exclude.error());
  host::ImportOptions given = host_options(options);
  given.exclude = *exclude;
  const auto is_fresh = make_ready(transaction, into);
  if (!is_fresh) return std::unexpected(is_fresh.error().with_path(into));
  auto sink = TransactionSink::at(transaction, into);
  if (!sink) return std::unexpected(sink.error().with_path(into));
  const Choice root = options.root_attributes;
  if (root == Choice::never || (root == Choice::automatic && !*is_fresh)) sink->keep_root();
  if (auto imported = host::import_tree(io, sources, *sink, given, report); !imported) return imported;
  return sink->finish();
}

}  // namespace

Result<void> import_tree(base::Io& io, std::span<const std::string> sources, Transaction& transaction,
                         std::string_view into, const ImportOptions& options, ImportReport& report) {
  report = {};
  try {
    return import_into(io, sources, transaction, into, options, report);
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<std::uint64_t> import_tree(base::Io& io, std::span<const std::string> sources, Volume& volume,
                                  std::string_view into, const ImportOptions& options, ImportReport& report) {
  report = {};
  auto transaction = volume.begin();
  if (!transaction) return std::unexpected(std::move(transaction.error()));
  auto imported = import_tree(io, sources, *transaction, into, options, report);
  if (!imported) return std::unexpected(std::move(imported.error()));
  return transaction->commit();
}

}  // namespace packfs::volume

namespace packfs {

Result<void> import_tree(std::span<const std::string> sources, Transaction& transaction, std::string_view into,
                         const ImportOptions& options, ImportReport& report) {
  return volume::import_tree(base::system_io(), sources, transaction, into, options, report);
}

Result<std::uint64_t> import_tree(std::span<const std::string> sources, Volume& volume, std::string_view into,
                                  const ImportOptions& options, ImportReport& report) {
  return volume::import_tree(base::system_io(), sources, volume, into, options, report);
}

Result<void> export_tree(const View& view, const std::string& target, const ExportOptions& options,
                         ExportReport& report) {
  report = {};
  try {
    auto exporter = host::Exporter::open(base::system_io(), view, target, options);
    if (!exporter) return std::unexpected(std::move(exporter.error()));
    auto written = exporter->write_all();
    report = exporter->report();
    return written;
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace packfs
