#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "content/format.h"
#include "pack/format.h"
#include "packfs/types.h"

namespace packfs::pack {

/// An entry of the index in memory, with every field that a built pack's entries have.
struct Item {
  std::uint64_t directory = 0;  ///< the number of the directory it is in; does not stand in the entry
  std::string_view name;        ///< empty for the root
  FileType type = FileType::none;
  content::Form form = content::Form::none;
  bool first_in_table = false;
  std::uint32_t attribute_set = 0;
  std::uint64_t inode = 0;
  Time mtime;
  std::uint64_t size = 0;
  std::uint64_t stored_length = 0;  ///< written for a run that is longer than `size`, and for chained content
  std::uint64_t location = 0;
  std::uint64_t link_id = 0;            ///< 0: none
  std::optional<std::uint64_t> xattrs;  ///< where its list is
};

inline constexpr std::size_t kMaxItemBytes = 368;  ///< a whole entry's limit

/// Bytes of the entry as docs/format.md section 4.2 lays it out: a multiple of kEntryAlignment.
[[nodiscard]] std::size_t item_bytes(const Item& item) noexcept;

/// Writes the entry, item_bytes(item) long, at `out`.
void encode_item(const Item& item, std::byte* out) noexcept;

/// Takes apart what encode_item() wrote (trusted bytes, all but `directory`). The name borrows them.
[[nodiscard]] Item decode_item(const std::byte* at) noexcept;

}  // namespace packfs::pack
