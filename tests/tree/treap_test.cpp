#include "tree/treap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/seed.h"
#include "tree/owner.h"

using namespace packfs;
using namespace packfs::tree;

namespace {

/// A treap with what it takes to change it, and versions of it that are held.
struct Fixture {
  explicit Fixture(std::uint64_t seed) : heap(std::make_unique<PartHeap>(seed)) {}
  ~Fixture() {
    heap->let_go(root);
    heap->free_buried(SIZE_MAX);
  }
  void begin() { owner = std::make_unique<Owner>(*heap, ++next_owner); }
  void put(std::string_view name, std::uint64_t value) {
    REQUIRE(heap->memory().reserve(edit_bytes()));
    Dentry* entry = owner->make_dentry(FileType::regular, name, 0);
    entry->inode = value;
    put_in_treap(*owner, root, entry, heap->hash(name));
  }
  void remove(std::string_view name) {
    REQUIRE(heap->memory().reserve(edit_bytes()));
    remove_from_treap(*owner, root, name, heap->hash(name));
  }
  [[nodiscard]] const Dentry* find(const TreapNode* at, std::string_view name) const {
    return find_in_treap(at, name, heap->hash(name));
  }

  std::unique_ptr<PartHeap> heap;
  std::unique_ptr<Owner> owner;
  std::uint64_t next_owner = 0;
  TreapNode* root = nullptr;
};

using Model = std::map<std::string, std::uint64_t>;

std::vector<std::pair<std::string, std::uint64_t>> walk(const TreapNode* root, std::string_view from = "") {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  TreapCursor cursor(root, from);
  while (const Dentry* entry = cursor.next()) all.emplace_back(entry->name(), entry->inode);
  return all;
}

/// The shape in words: separators with their blocks' names, in brackets as the treap nests.
std::string shape(const TreapNode* node) {
  if (node == nullptr) return "-";
  std::string text = "(" + shape(node->left) + " ";
  BlockCursor cursor(node->block);
  while (const Dentry* entry = cursor.next()) text += std::string(entry->name()) + ",";
  return text + " " + shape(node->right) + ")";
}

void check_invariants(const PartHeap& heap, const TreapNode* root) {
  std::function<void(const TreapNode*, std::uint32_t)> visit = [&](const TreapNode* node, std::uint32_t above) {
    if (node == nullptr) return;
    CHECK(node->priority <= above);
    CHECK(node->block.entry_count() > 0);
    BlockCursor cursor(node->block);
    bool first = true;
    while (const Dentry* entry = cursor.next()) {
      const bool border = is_border(heap.hash(entry->name()));
      if (!first || node->separator.is_empty()) {
        CHECK_FALSE(border);
      } else {
        CHECK(border);
      }
      first = false;
    }
    visit(node->left, node->priority);
    visit(node->right, node->priority);
  };
  visit(root, UINT32_MAX);
}

std::string random_name(std::mt19937_64& random) {
  static const std::string long_start(40, 'n');
  std::string name = std::to_string(random() % 3000);
  switch (random() % 5) {
    case 0:
      return "node_modules-" + name;
    case 1:
      return long_start + name;
    case 2:
      return name + std::string(random() % 200, '\xff');
    default:
      return name;
  }
}

}  // namespace

TEST_CASE("a treap and every held version of it agree with a sorted map", "[tree][treap]") {
  const std::uint64_t seed = testing::test_seed();
  std::mt19937_64 random(seed);
  Fixture tree(seed);
  Model model;
  std::vector<std::pair<TreapNode*, Model>> held;
  const auto in_place = GENERATE(1, 7, 1000);  // edits with one owner
  for (int step = 0; step < 12000; ++step) {
    if (step % in_place == 0) tree.begin();
    const std::string name = random_name(random);
    if (random() % (step % 4000 < 2500 ? 4 : 2) != 0) {
      tree.put(name, static_cast<std::uint64_t>(step));
      model[name] = static_cast<std::uint64_t>(step);
    } else if (model.contains(name)) {
      tree.remove(name);
      model.erase(name);
    }
    if (step % 1000 == 0) {
      tree.heap->share(tree.root);
      held.emplace_back(tree.root, model);
      tree.begin();  // what is held is nobody's any more
    }
    tree.heap->free_buried(random() % 64);
  }
  check_invariants(*tree.heap, tree.root);
  held.emplace_back(tree.root, model);
  tree.heap->share(tree.root);
  for (auto& [root, expected] : held) {
    CHECK(walk(root) == std::vector<std::pair<std::string, std::uint64_t>>(expected.begin(), expected.end()));
    for (int i = 0; i < 2000; ++i) {
      const std::string name = random_name(random);
      const Dentry* found = tree.find(root, name);
      const auto wanted = expected.find(name);
      if ((found != nullptr) != (wanted != expected.end())) FAIL(name);
      if (found != nullptr && found->inode != wanted->second) FAIL(name);
    }
    for (int i = 0; i < 50; ++i) {
      const std::string from = random_name(random);
      CHECK(walk(root, from) ==
            std::vector<std::pair<std::string, std::uint64_t>>(expected.lower_bound(from), expected.end()));
    }
    tree.heap->let_go(root);
  }
  tree.heap->let_go(std::exchange(tree.root, nullptr));
  tree.heap->free_buried(SIZE_MAX);
  CHECK(tree.heap->counts().nodes == 0);
  CHECK(tree.heap->counts().changes == 0);
  CHECK(tree.heap->counts().bases == 0);
  CHECK(tree.heap->counts().dentries == 0);
}

TEST_CASE("the shape of a treap depends on its names alone", "[tree][treap]") {
  const std::uint64_t seed = testing::test_seed();
  std::mt19937_64 random(seed);
  std::vector<std::string> names;
  names.reserve(2000);
  for (int i = 0; i < 2000; ++i) names.push_back("entry-" + std::to_string(i));
  Fixture ascending(seed);
  ascending.begin();
  for (const auto& name : names) ascending.put(name, 1);
  std::ranges::shuffle(names, random);
  Fixture shuffled(seed);
  for (const auto& name : names) {
    shuffled.begin();
    shuffled.put(name, 2);
  }
  for (int i = 0; i < 500; ++i) {
    shuffled.begin();
    shuffled.put("gone-" + std::to_string(i), 3);
  }
  for (int i = 0; i < 500; ++i) shuffled.remove("gone-" + std::to_string(i));
  CHECK(shape(ascending.root) == shape(shuffled.root));
}
