#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "log/record.h"

namespace packfs::testing {

using Bytes = std::vector<std::byte>;

/// A record and the bytes it borrows.
struct OwnedRecord {
  log::Record record;
  std::string name;
  std::string target;
  std::vector<std::string> xattr_names;
  std::vector<Bytes> xattr_values;

  OwnedRecord() = default;
  OwnedRecord(const OwnedRecord&) = delete;
  OwnedRecord& operator=(const OwnedRecord&) = delete;
  OwnedRecord(OwnedRecord&&) = delete;
  /// Points the record's views at the strings; after every change of them.
  void bind();
};

/// Everything a decoded record tells agrees.
[[nodiscard]] bool same(const log::Record& a, const log::Record& b);

/// Fields a type must have and those it may have.
struct TypeFields {
  log::RecordType type{};
  std::uint32_t required = 0;
  std::uint32_t optional = 0;
  bool path = false;  ///< its name is one
  std::uint64_t flags = 0;
};
/// docs/format.md section 2.1, written down once more.
[[nodiscard]] const std::vector<TypeFields>& all_types();

/// A valid record of `type` with exactly the optional `fields` (those the type does not have are left out), all values
/// within their ranges, limits preferred.
void make_record(std::mt19937_64& random, const TypeFields& type, std::uint32_t fields, OwnedRecord& out);

/// encode_head that must succeed.
[[nodiscard]] Bytes encoded(const log::Record& record, std::uint64_t segment_id, std::uint64_t offset);

}  // namespace packfs::testing
