#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/alloc.h"
#include "base/io.h"
#include "packfs/error.h"
#include "packfs/node.h"
#include "tree/table.h"

namespace packfs::host {

/// Writes contents of a table's files into new host files, holes left out. One thread at a time. Borrows `io` and the
/// table.
class ContentWriter {
 public:
  /// Asked before each piece whether it may be written; an error ends the file with it.
  using Admit = std::function<Result<void>(std::uint64_t bytes)>;

  ContentWriter(base::Io& io, const tree::Table& table, Admit admit);

  /// `fd` is an empty file. Errors: those of the table and of `admit`; corrupt (the table contradicts itself); an errno
  /// of pwrite or ftruncate.
  [[nodiscard]] Result<void> write(int fd, const Node& file, std::uint64_t size);

 private:
  [[nodiscard]] Result<void> write_range(int fd, const Node& file, tree::Table::Range range);
  [[nodiscard]] Result<std::span<const std::byte>> piece(const Node& file, std::uint64_t offset, std::size_t length);

  base::Io& io_;
  const tree::Table& table_;
  Admit admit_;
  base::Buffer buffer_;
  std::optional<std::span<const std::byte>> borrowed_;  // all of the current file
};

}  // namespace packfs::host
