#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "packfs/ref.h"

namespace packfs::content {

/// Memory that pieces of contents lie in. What is below used() never changes; the room behind it goes to whoever
/// claims it first.
class Chunk final : public Counted {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{2} << 20;  ///< a huge page, header included

  enum class Use : bool { exact, appended_to };
  /// With room for at least `bytes`; whole huge pages when those are an eighth more at most. Throws std::bad_alloc.
  static Ref<Chunk> make(std::size_t bytes, Use use);
  static Ref<Chunk> adopt(std::unique_ptr<std::byte[]> bytes, std::size_t count);

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// Whether it was made with room to append in.
  [[nodiscard]] bool is_appended_to() const noexcept { return use_ == Use::appended_to; }
  /// Copies as many of `bytes` as there is room for behind `end`, if the used part ends there; how many.
  std::size_t extend(std::size_t end, std::span<const std::byte> bytes) noexcept;

  static std::uint64_t alive() noexcept;
  static std::uint64_t copied() noexcept;

  // Chunks are made in place, in memory of base::try_allocate().
  static void* operator new(std::size_t, void* memory) noexcept { return memory; }
  static void operator delete(void* memory) noexcept;  // NOLINT(misc-new-delete-overloads)

 private:
  Chunk(std::byte* data, std::size_t capacity, Use use) noexcept;
  Chunk(std::unique_ptr<std::byte[]> adopted, std::size_t count) noexcept;
  ~Chunk() override;

  std::byte* data_;
  std::size_t capacity_;
  std::atomic<std::size_t> used_;
  std::unique_ptr<std::byte[]> adopted_;
  Use use_;
};

}  // namespace packfs::content
