#include "packfs/entry.h"

#include <utility>

#include "tree/open_file.h"
#include "tree/table.h"

namespace packfs {

Result<Stat> Entry::stat() const { return table_->stat(node_); }

Result<File> Entry::open() const { return tree::open_file(Ref<const tree::Table>(table_), node_); }

}  // namespace packfs
