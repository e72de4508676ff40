#pragma once

#include "pack/format.h"
#include "pack/interned.h"
#include "pack/item_table.h"
#include "pack/log_writer.h"
#include "packfs/error.h"

namespace packfs::pack {

/// Writes the index of all entries behind the log: sizes and offsets are computed in a first pass, bytes in a second
/// one, so that the index is never in memory as a whole. Gives up the table's memory on the way.
///
/// Returns the footer with its log_end, counts, totals, hash and section fields set.
/// Errors: too_large (the entries take more than 4 TiB); as LogWriter. Throws std::bad_alloc.
[[nodiscard]] Result<Footer> write_index(ItemTable& items, const Interned& interned, LogWriter& log);

}  // namespace packfs::pack
