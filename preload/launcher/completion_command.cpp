// `muster completion`: prints a script that completes muster's command lines.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "preload/launcher/commands.h"
#include "preload/launcher/manual/completions.h"

namespace muster::launcher {
namespace {

std::string script_for(const std::string& shell, const CLI::App& app) {
  if (shell == "bash") return manual::bash_completion(app);
  return shell == "zsh" ? manual::zsh_completion(app) : manual::fish_completion(app);
}

}  // namespace

void add_completion(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes commands in a shell.");
  command->footer(
      "bash and zsh read it with: source <(muster completion bash)\n"
      "fish reads it with: muster completion fish | source\n"
      "Exit status: 0 printed, 2 a usage error.\n"
      "Examples:\n"
      "  muster completion bash >~/.local/share/bash-completion/completions/muster\n"
      "  muster completion fish >~/.config/fish/completions/muster.fish");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell.")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &status] {
    fmt::print("{}", script_for(*shell, app));
    status = 0;
  });
}

}  // namespace muster::launcher
