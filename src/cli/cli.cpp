#include "cli/cli.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>
#include <variant>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"

namespace packfs::cli {

namespace {

using Run = ExitCode (*)(const Arguments&, Context&);

constexpr std::pair<Command, Run> kRuns[] = {
    {Command::pack, run_pack},   {Command::unpack, run_unpack}, {Command::export_tree, run_export},
    {Command::ls, run_ls},       {Command::cat, run_cat},       {Command::stat, run_stat},
    {Command::info, run_info},   {Command::verify, run_verify}, {Command::diff, run_diff},
    {Command::init, run_init},   {Command::put, run_put},       {Command::import_tree, run_import},
    {Command::mkdir, run_mkdir}, {Command::rm, run_rm},         {Command::mv, run_mv},
    {Command::cp, run_cp},       {Command::ln, run_ln},         {Command::log, run_log},
    {Command::check, run_check}, {Command::repair, run_repair},
};

ExitCode run_command(const Arguments& arguments, Context& context) {
  return std::ranges::find(kRuns, arguments.command, &std::pair<Command, Run>::first)->second(arguments, context);
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
