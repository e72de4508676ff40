#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/io.h"
#include "host/export.h"
#include "host/import.h"
#include "support/memory_tree.h"

namespace packfs::testing {

/// Where tests make trees: a filesystem that keeps all attributes.
inline constexpr const char* kTmpfs = "/dev/shm";

/// An import of `sources` into a MemoryTree.
struct Imported {
  MemoryTree tree;
  host::ImportReport report;
  Result<void> result;
};
Imported import_into_memory(const std::vector<std::string>& sources, const host::ImportOptions& options = {},
                            base::Io& io = base::system_io());

/// One line for each problem: path and message.
std::vector<std::string> lines_of(const std::vector<host::Problem>& problems);

void write_file(const std::string& path, const std::string& content);
std::string read_file(const std::string& path);

/// Runs `body` in a child as user 65534 without capabilities; returns what it returns. Throws std::runtime_error when
/// the child ends otherwise.
int as_nobody(const std::function<int()>& body);

}  // namespace packfs::testing
