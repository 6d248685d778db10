/** A word that completes what was typed. */
interface Word {
  readonly text: string;
  readonly meaning: string;
}

/** The possible next words after one command. */
interface Completion {
  /** The words of the command after `eventferry`, separated by spaces. */
  readonly path: string;
  /** Its subcommands, or the values of its argument. If there are none, the command takes file names. */
  readonly words: readonly Word[];
  readonly options: readonly Word[];
  /** The options that take a value: one of the choices or, if there are none, a file name or free text. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

export type Completions = readonly Completion[];

// Each script finds the command that the words so far name. After an option it offers the values of that option, after a dash the
// options, and otherwise the next words of the command or, if there are none, file names.

/** Writes the lines of a shell's `case`, one for each command. */
const cases = (completions: Completions, lineOf: (completion: Completion) => string): string =>
  completions.map((completion) => `    ${quote(completion.path)}) ${lineOf(completion)} ;;`).join('\n');

const pathCases = (completions: Completions): string =>
  completions
    .filter(({ path }) => path !== '')
    .map(({ path }) => quote(path))
    .join('|');

/** Writes a line for each option that takes a value, with its completions. */
const valueCases = (completions: Completions, lineOf: (choices: readonly string[]) => string): string =>
  completions
    .flatMap(({ path, values }) =>
      values.map(({ option, choices }) => `    ${quote(`${path} ${option}`)}) ${lineOf(choices)} ;;`),
    )
    .join('\n');

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const textsOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

/** If the script offers nothing, bash itself offers file names. */
export const bash = (completions: Completions): string => `# Completion of eventferry for bash.
_eventferry() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
    ${pathCases(completions)}) path="\${path:+$path }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${valueCases(completions, (choices) => `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$current")); return`)}
  esac
  case "$current" in
  -*)
    case "$path" in
${cases(completions, ({ options }) => `words=${quote(textsOf(options))}`)}
    esac ;;
  *)
    case "$path" in
${cases(completions, ({ words }) => `words=${quote(textsOf(words))}`)}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _eventferry eventferry
`;

/** Formats words for `_describe`, which separates a word and its meaning with a colon. */
const described = (words: readonly Word[]): string =>
  words.map(({ text, meaning }) => quote(meaning === '' ? text : `${text}:${meaning}`)).join(' ');

export const zsh = (completions: Completions): string => `#compdef eventferry
# Completion of eventferry for zsh.
_eventferry() {
  local at='' word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
    ${pathCases(completions)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${valueCases(completions, (choices) => (choices.length === 0 ? '_files; return' : `compadd -- ${choices.map(quote).join(' ')}; return`))}
  esac
  case "\${words[CURRENT]}" in
  -*)
    case "$at" in
${cases(completions, ({ options }) => `offered=(${described(options)})`)}
    esac ;;
  *)
    case "$at" in
${cases(completions, ({ words }) => `offered=(${described(words)})`)}
    esac ;;
  esac
  if (( \${#offered} )); then _describe eventferry offered; else _files; fi
}
# zsh runs the file itself where it finds it by its name.
if [[ "$funcstack[1]" == _eventferry ]]; then _eventferry "$@"; else compdef _eventferry eventferry; fi
`;

/** Writes a \`complete\` line for each word that may follow the command. */
function fishLines({ path, words, options, values }: Completion): string[] {
  const at = `complete -c eventferry -n "__eventferry_at ${quote(path)}"`;
  return [
    ...words.map(({ text, meaning }) => `${at} -f -a ${fishQuote(text)} -d ${fishQuote(meaning)}`),
    ...options.map(({ text, meaning }) => {
      const value = values.find(({ option }) => option === text);
      const takes =
        value === undefined
          ? ''
          : value.choices.length === 0
            ? ' -r -F'
            : ` -x -a ${fishQuote(value.choices.join(' '))}`;
      return `${at} -l ${text.slice(2)}${takes} -d ${fishQuote(meaning)}`;
    }),
  ];
}

const fishQuote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export const fish = (completions: Completions): string => `# Completion of eventferry for fish.
function __eventferry_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$at $word")
      case ${completions
        .filter(({ path }) => path !== '')
        .map(({ path }) => fishQuote(path))
        .join(' ')}
        set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
${completions.flatMap(fishLines).join('\n')}
`;
