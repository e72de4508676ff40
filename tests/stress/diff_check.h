#pragma once

#include <vector>

#include "packfs/volume.h"
#include "stress/compare.h"
#include "stress/model.h"

namespace packfs::stress {

/// Checks what diff() gave for two states against their models. The changes must be in order, explain the newer state
/// from the older one entry by entry, name all that differs, nothing that did not change, and call what moved renamed:
/// where an inode number stands once in either state, the old path is gone and the new one was not there.
/// (Where a name got another entry, or only clock times changed, several answers are right.)
Complaint check_diff(const std::vector<Change>& changes, const View& before, const Model& model_before,
                     const View& after, const Model& model_after);

}  // namespace packfs::stress
