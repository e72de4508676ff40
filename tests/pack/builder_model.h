#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/pack_builder.h"
#include "packfs/types.h"
#include "packfs/view.h"

namespace packfs::testing {

using Random = std::mt19937_64;
using Bytes = std::vector<std::byte>;

/// `count` bytes that do not compress.
[[nodiscard]] Bytes noise(Random& random, std::size_t count);
/// `count` bytes that compress well and have no zero among them.
[[nodiscard]] Bytes text(Random& random, std::size_t count);

/// A plain tree in memory: what a pack is compared with.
struct ModelNode {
  FileType type = FileType::directory;
  Attributes attributes;
  std::shared_ptr<const Bytes> content;  ///< regular files
  std::string target;                    ///< symlinks
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::size_t group = 0;  ///< 0, or which names are one file
  std::map<std::string, ModelNode> children;
};

/// One entry to be made, parents before what is in them.
struct ModelStep {
  std::string path;
  const ModelNode* node = nullptr;
  std::string existing;  ///< a further name of this one
};

/// A tree of about `entries` entries with every kind of them, every form of content and odd names; a few contents are
/// larger than 1 MiB. All from `random`.
[[nodiscard]] ModelNode random_tree(Random& random, std::size_t entries);

/// Steps that make the tree, in a random order that keeps parents first.
[[nodiscard]] std::vector<ModelStep> steps_of(const ModelNode& root, Random& random);

/// Makes the steps; contents are given now as bytes, now as streams in pieces of any size. Throws std::runtime_error.
void add_steps(PackBuilder& builder, const std::vector<ModelStep>& steps, Random& random);

/// What is different between the two, one line each; at most a few. Empty when all is the same.
[[nodiscard]] std::vector<std::string> differences(const ModelNode& root, const View& view);

}  // namespace packfs::testing
