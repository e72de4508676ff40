#include "pack/verify.h"

#include <utility>

#include "pack/verify_index.h"
#include "pack/verify_records.h"
#include "pack/verify_report.h"

namespace packfs::pack {

Result<VerifyReport> verify(const Reader& reader,
                            const std::function<bool(std::uint64_t done, std::uint64_t total)>& progress) {
  VerifyLog log(progress, reader.layout().total_length);
  IndexVerifier(reader, log).run();
  if (!log.failed()) RecordVerifier(reader, log).run();
  return std::move(log).finish();
}

}  // namespace packfs::pack
