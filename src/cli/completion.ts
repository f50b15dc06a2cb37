import { COMPLETE, type Command } from "./command.ts";

/** Works from bash 3.2 on, which has no `compopt`. */
const BASH = `# bash completion for latchkey
_latchkey() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file) compopt -o default 2>/dev/null || COMPREPLY=($(IFS=$'\\n'; compgen -f -- "$cur")) ;;
      *)
        line=\${line%%$'\\t'*}
        if [[ $line == "$cur"* ]]; then COMPREPLY+=("$line"); fi
        ;;
    esac
  done < <(latchkey ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _latchkey latchkey`;

/**
 * zsh autoloads the file as the function's body. When sourced, the script registers the function.
 */
const ZSH = `#compdef latchkey
_latchkey() {
  local line
  local -a offers
  for line in "\${(@f)$(latchkey ${COMPLETE} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :file) _files; return ;;
      *) offers+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  _describe -V latchkey offers
}
if [[ $funcstack[1] == _latchkey ]]; then
  _latchkey "$@"
else
  compdef _latchkey latchkey
fi`;

/** If `__latchkey_query` fails, fish offers files, as `:file` requires. */
const FISH = `# fish completion for latchkey
function __latchkey_query
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    set -g __latchkey_lines (latchkey ${COMPLETE} $words "$current" 2>/dev/null)
    test "$__latchkey_lines" != :file
end
complete -c latchkey -n __latchkey_query -f -a '(printf %s\\n $__latchkey_lines)'`;

const scripts: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const command: Command = {
  details:
    "Each shell reads the script when it starts. With zsh, either write it into a FOLDER that is in fpath before compinit runs, or add the line with source to ~/.zshrc after compinit. With bash, the line with source goes into ~/.bashrc where bash-completion is not installed.",
  operands: [{ name: "shell", need: "required", completes: Object.keys(scripts) }],
  settings: [],
  examples: [
    "latchkey completion bash > ~/.local/share/bash-completion/completions/latchkey",
    "source <(latchkey completion bash)",
    "latchkey completion zsh > FOLDER/_latchkey",
    "source <(latchkey completion zsh)",
    "latchkey completion fish > ~/.config/fish/completions/latchkey.fish",
  ],

  run: async (_settings, options, terminal) =>
    terminal.succeed(scripts[String(options.shell)] ?? ""),
};
