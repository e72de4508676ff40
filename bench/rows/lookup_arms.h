#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "corpus/corpus.h"
#include "corpus/lookups.h"
#include "recorder.h"

namespace packfs::bench {

inline void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(items));
}

/// Copies every file out, in random order. Borrows store and lookups.
template <class Store>
Arm read_arm(const std::string& name, const Store& store, const Lookups& lookups) {
  return {name, [&store, &lookups](benchmark::State& state) {
            std::array<std::byte, kMaxFileBytes> buffer;
            for ([[maybe_unused]] auto _ : state) {
              std::uint64_t bytes = 0;
              for (std::size_t i = 0; i < lookups.hits.size(); ++i) {
                bytes += store.read(lookups.hits[i], buffer);
                benchmark::DoNotOptimize(buffer.data());
                benchmark::ClobberMemory();
              }
              if (bytes != lookups.bytes) state.SkipWithError("wrong number of bytes");
            }
            count_items(state, lookups.hits.size());
          }};
}

/// `list` calls what it is given with each name. The name's last byte is read, so that a name counts as seen.
template <class List>
Arm list_arm(const std::string& name, std::size_t entries, List list) {
  return {name, [entries, list](benchmark::State& state) {
            for ([[maybe_unused]] auto _ : state) {
              std::size_t names = 0;
              std::uint64_t sum = 0;
              list([&](std::string_view each) {
                ++names;
                sum += static_cast<unsigned char>(each.back());
              });
              benchmark::DoNotOptimize(sum);
              if (names != entries) state.SkipWithError("wrong number of names");
            }
            count_items(state, entries);
          }};
}

}  // namespace packfs::bench
