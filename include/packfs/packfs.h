#pragma once

// Everything a program needs: open a pack (Pack), read it (View, File, Entry), write one (PackBuilder), change
// a tree in memory or on disk (Volume), take host trees in and out, check and repair a store.
#include "packfs/entry.h"         // IWYU pragma: export
#include "packfs/error.h"         // IWYU pragma: export
#include "packfs/file.h"          // IWYU pragma: export
#include "packfs/host_tree.h"     // IWYU pragma: export
#include "packfs/pack.h"          // IWYU pragma: export
#include "packfs/pack_builder.h"  // IWYU pragma: export
#include "packfs/store.h"         // IWYU pragma: export
#include "packfs/types.h"         // IWYU pragma: export
#include "packfs/view.h"
#include "packfs/volume.h"  // IWYU pragma: export
