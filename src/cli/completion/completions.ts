/** A word that completes what was typed. */
export interface Word {
  readonly text: string;
  readonly meaning: string;
}

/** The possible next words after one command. */
export interface Completion {
  /** The words of the command after `eventferry`, separated by spaces. */
  readonly path: string;
  /** Its subcommands, or the values of its argument. If there are none, it takes file names. */
  readonly words: readonly Word[];
  readonly options: readonly Word[];
  /** The options that take a value: one of the choices, or, if there are none, a file name or free text. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

export type Completions = readonly Completion[];
