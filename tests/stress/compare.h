#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "packfs/volume.h"
#include "stress/model.h"

namespace packfs::stress {

/// What is wrong, in words; nothing when nothing is.
using Complaint = std::optional<std::string>;

/// Which inode number each file of a state showed.
using ShownNumbers = std::map<ModelId, std::uint64_t>;

/// Walks the whole tree and compares everything that can be read with the model: names and their order, stat by entry
/// and by path, contents by read() and by bytes(), targets, xattrs, totals, which names are one file. The numbers seen
/// are put into `shown`.
Complaint compare_state(const View& view, const Model& model, ShownNumbers& shown);
Complaint compare_state(const Writable& volume, const Model& model, ShownNumbers& shown);

/// Compares an open file with what its content was when it was opened.
Complaint compare_file(const File& file, const std::string& content);

}  // namespace packfs::stress
