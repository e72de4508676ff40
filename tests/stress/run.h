#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "packfs/volume.h"
#include "stress/apply.h"
#include "stress/compare.h"
#include "stress/model.h"
#include "stress/numbers.h"
#include "stress/operation.h"

namespace packfs::stress {

/// On what a sequence runs: how its volume is made, and the model of that.
struct Setting {
  std::string name;
  std::function<Volume()> make;
  Model start;
  std::function<Volume(Volume)> reopen = {};  ///< of a store: closes it, or lets it crash, and gives what is then there
  /// Of a store: a reader beside the volume; the one given, when it is of the same store.
  std::function<Volume(std::optional<Volume>)> follow = {};
};

/// How closely it is looked at.
struct Closeness {
  std::size_t whole_state_every = 10;  ///< operations
  std::size_t held_every = 25;         ///< operations
  std::size_t reopened_every = 17;     ///< operations
  std::size_t followed_every = 7;      ///< operations
  bool counters = true;                ///< at the end
};

/// What a volume of `setting` counts once all entries are removed and nothing is held.
[[nodiscard]] VolumeCounters counters_when_emptied(const Setting& setting);

/// One sequence of operations on a volume and on its model, side by side. After the first complaint it is of no more
/// use.
class Run {
 public:
  Run(const Setting& setting, const Closeness& closeness);

  /// Makes the operation on both and compares what can be seen of it. Those that have no sense where they stand (a
  /// commit without a transaction) do nothing.
  Complaint step(const Operation& operation);
  /// Compares everything once more, lets go of all handles, and looks at the counters of what is left.
  Complaint finish();

 private:
  struct Held {
    Snapshot snapshot;
    Model model;
    ShownNumbers shown;
  };
  struct Opened {
    File file;
    std::string content;
    std::string stat;
    std::uint64_t inode;
  };

  [[nodiscard]] const Writable& reader() const;
  Complaint call(const Operation& operation);
  Complaint begin(const Operation& operation);
  Complaint commit();
  Complaint drop(const Operation& operation);
  Complaint write_beside(const Operation& operation);
  Complaint hold(const Operation& operation);
  Complaint release(std::optional<Held>& held);
  Complaint open_file(const Operation& operation);
  Complaint diff(const Operation& operation);
  Complaint perform(const Operation& operation);
  Complaint reopen();
  Complaint follow();

  Complaint compare_all();
  Complaint compare_held();
  [[nodiscard]] static Complaint compare_held(const Held& held);
  [[nodiscard]] static Complaint compare_opened(const Opened& opened);
  Complaint compare_places(const Operation& operation);
  Complaint compare_counters();

  const Setting& setting_;
  Closeness closeness_;
  Volume volume_;
  std::optional<Volume> follower_;  // opened to read, of a store
  Model committed_;
  Model current_;
  Numbers numbers_;
  Numbers committed_numbers_;  // in a transaction: as they were when it began
  std::optional<Transaction> transaction_;
  std::array<std::optional<Held>, Operation::kSlots> held_;
  std::vector<Held> held_of_closed_;  // of what was reopened since
  std::array<std::optional<Opened>, Operation::kSlots> opened_;
  std::size_t steps_ = 0;
};

}  // namespace packfs::stress
