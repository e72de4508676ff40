#include "cli/cli.h"

#include <cerrno>
#include <new>
#include <variant>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"

namespace packfs::cli {

namespace {

ExitCode run_command(const Arguments& arguments, Context& context) {
  switch (arguments.command) {
    case Command::pack:
      return run_pack(arguments, context);
    case Command::unpack:
      return run_unpack(arguments, context);
    case Command::export_tree:
      return run_export(arguments, context);
    case Command::ls:
      return run_ls(arguments, context);
    case Command::cat:
      return run_cat(arguments, context);
    case Command::stat:
      return run_stat(arguments, context);
    case Command::info:
      return run_info(arguments, context);
    case Command::verify:
      return run_verify(arguments, context);
    case Command::diff:
      return run_diff(arguments, context);
    case Command::init:
      return run_init(arguments, context);
    case Command::put:
      return run_put(arguments, context);
    case Command::mkdir:
      return run_mkdir(arguments, context);
    case Command::rm:
      return run_rm(arguments, context);
    case Command::mv:
      return run_mv(arguments, context);
    case Command::cp:
      return run_cp(arguments, context);
    case Command::ln:
      return run_ln(arguments, context);
    case Command::log:
      return run_log(arguments, context);
    case Command::check:
      return run_check(arguments, context);
    case Command::repair:
      return run_repair(arguments, context);
  }
  return ExitCode::usage;
}

ExitCode give_answer(const Answer& answer, Context& context) {
  if (answer.exit_code == ExitCode::done) {
    context.output.write(answer.text);
  } else {
    context.diagnostics.error(answer.text);
    context.diagnostics.text(answer.hint + "\n");
  }
  return answer.exit_code;
}

/// Results that did not arrive are a failure, whatever the command made of its work. A reader that went away wanted no
/// more: it is told nothing.
ExitCode with_output_checked(ExitCode exit_code, Context& context) {
  context.output.flush();
  const auto& failure = context.output.failure();
  if (!failure) return context.stopped() ? ExitCode::failed : exit_code;
  if (failure->to_errno() != EPIPE) context.diagnostics.error(*failure);
  return ExitCode::failed;
}

}  // namespace

int run(std::span<const std::string_view> arguments, const Streams& streams, base::Io& io) {
  Output output(io, streams.out);
  Diagnostics diagnostics(io, streams, output);
  Context context{.io = io, .streams = streams, .output = output, .diagnostics = diagnostics};
  try {
    const auto parsed = parse_arguments(arguments);
    const auto* const answer = std::get_if<Answer>(&parsed);
    const ExitCode exit_code =
        answer != nullptr ? give_answer(*answer, context) : run_command(std::get<Arguments>(parsed), context);
    return static_cast<int>(with_output_checked(exit_code, context));
  } catch (const std::bad_alloc&) {
    diagnostics.text("packfs: out of memory\n");  // without a further allocation
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace packfs::cli
