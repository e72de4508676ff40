#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace packfs {

/// Base of objects that are counted by the handles that hold them. Begins at zero; when the last Ref goes, so does it.
/// Threads: counting is atomic; any thread may drop the last Ref.
class Counted {
 public:
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 protected:
  Counted() = default;
  virtual ~Counted() = default;
  /// The last Ref is gone. Called by whichever thread dropped it.
  virtual void unreferenced() const noexcept { delete this; }
  /// Counts one Ref less. True when it was the last: the caller then does what unreferenced() would have done.
  [[nodiscard]] bool drop_reference() const noexcept {
    return references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Refs at this moment.
  [[nodiscard]] std::uint64_t references() const noexcept { return references_.load(std::memory_order_relaxed); }

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<std::uint64_t> references_{0};
};

/// The one owning pointer to a Counted object; null when default-made or moved from.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  explicit Ref(T* object) noexcept : object_(object) { acquire(); }
  Ref(const Ref& other) noexcept : object_(other.object_) { acquire(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& other) noexcept : Ref(other.get()) {}  // NOLINT(google-explicit-constructor): derived to base
  ~Ref() { release(); }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// The object, borrowed; null when there is none.
  [[nodiscard]] T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  /// Gives up the object without dropping its reference, which adopt() takes back.
  [[nodiscard]] T* detach() noexcept { return std::exchange(object_, nullptr); }
  [[nodiscard]] static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  void acquire() const noexcept {
    if (object_ != nullptr) object_->Counted::references_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    // acq_rel: what other holders did to the object happens before its deletion.
    if (object_ != nullptr && object_->Counted::drop_reference()) {
      static_cast<const Counted*>(object_)->unreferenced();
    }
  }
  T* object_ = nullptr;
};

}  // namespace packfs
