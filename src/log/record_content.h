#pragma once

#include <cstdint>

#include "base/hash.h"
#include "content/source.h"
#include "content/stored.h"
#include "log/scanner.h"
#include "packfs/error.h"

namespace packfs::log {

/// Where a scanned record's own content lies and how long it is raw: a run's source length is taken from its trailer.
/// Form none for records without content of their own (chained ones, whose content is in the records that follow, too).
/// Errors: corrupt (a source length greater than the content, a void put's included); an errno of pread.
[[nodiscard]] Result<content::Stored> stored_content(const content::Source& source, const ScannedRecord& scanned);

/// Whether a put is void because its source failed while its run was written (docs/format.md section 2).
/// Errors: an errno of pread.
[[nodiscard]] Result<bool> is_void(const content::Source& source, const ScannedRecord& scanned);

/// Checks everything a scanned record's own content consists of, and that it fills the record. A chained content's
/// map counts as the run it is. `reader` reads `source`, wherever the record lies in it.
/// Errors: as StoredReader::verify().
[[nodiscard]] Result<void> verify_content(const content::Source& source, const content::StoredReader& reader,
                                          const ScannedRecord& scanned);

/// Adds what a record contributes to the pack id (docs/format.md section 5): its head's checksum, then a run's trailer
/// or a packed content's block checksums. Its content need not have been verified.
/// Errors: corrupt (a packed content's table); no_memory; an errno of pread.
[[nodiscard]] Result<void> add_to_pack_id(const content::Source& source, const ScannedRecord& scanned,
                                          base::Xxh3Stream128& checksums);

}  // namespace packfs::log
