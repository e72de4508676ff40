#pragma once

#include "cli/arguments.h"
#include "cli/context.h"
#include "cli/exit_code.h"

namespace packfs::cli {

/// Each command: writes its results to the context's output, names on its diagnostics whatever it could not do, and
/// returns the exit code. A failed write to the output is left for the caller to report.
ExitCode run_pack(const Arguments& arguments, Context& context);
ExitCode run_unpack(const Arguments& arguments, Context& context);
ExitCode run_export(const Arguments& arguments, Context& context);
ExitCode run_ls(const Arguments& arguments, Context& context);
ExitCode run_cat(const Arguments& arguments, Context& context);
ExitCode run_stat(const Arguments& arguments, Context& context);
ExitCode run_info(const Arguments& arguments, Context& context);
ExitCode run_verify(const Arguments& arguments, Context& context);
ExitCode run_diff(const Arguments& arguments, Context& context);
ExitCode run_init(const Arguments& arguments, Context& context);
ExitCode run_put(const Arguments& arguments, Context& context);
ExitCode run_import(const Arguments& arguments, Context& context);
ExitCode run_mkdir(const Arguments& arguments, Context& context);
ExitCode run_rm(const Arguments& arguments, Context& context);
ExitCode run_mv(const Arguments& arguments, Context& context);
ExitCode run_cp(const Arguments& arguments, Context& context);
ExitCode run_ln(const Arguments& arguments, Context& context);
ExitCode run_log(const Arguments& arguments, Context& context);
ExitCode run_check(const Arguments& arguments, Context& context);
ExitCode run_repair(const Arguments& arguments, Context& context);

}  // namespace packfs::cli
