#pragma once

#include "log/group_reader.h"
#include "log/scanner.h"
#include "packfs/error.h"
#include "store/directory.h"
#include "store/manifest.h"
#include "store/segment_file.h"

namespace packfs::cli {

/// What a journal is told to, in its order.
class JournalVisitor {
 public:
  virtual ~JournalVisitor() = default;
  /// One operation of a group that counts.
  virtual void record(const store::SegmentFile& file, const log::ScannedRecord& scanned) = 0;
  /// The end of that group, or a mark.
  virtual void group(const store::SegmentFile& file, const log::FoundGroup& group) = 0;
  /// Something that should be there and is not; with path, and offset where there is one.
  virtual void damage(const Error& error) = 0;
  /// True: enough.
  [[nodiscard]] virtual bool stopped() const = 0;
};

/// Tells all that counts of a store's journal, and what is damaged: then goes on with the next segment. What a crash or
/// a writer at work left half done at the end is neither. Contents are read only where the end depends on them. The
/// store may be in use. Throws std::bad_alloc.
void visit_journal(const store::Directory& directory, const store::Manifest& manifest, JournalVisitor& visitor);

}  // namespace packfs::cli
