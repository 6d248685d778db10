/** A word that completes what was typed. */
export interface Word {
  readonly text: string;
  readonly meaning: string;
}

/** What may stand behind one command. */
export interface Completion {
  /** The words of the command behind `eventferry`, with a space between two. */
  readonly path: string;
  /** The commands below it, or the values of its argument. Without any, it takes the names of files. */
  readonly words: readonly Word[];
  readonly options: readonly Word[];
  /** The options that take a value: one of these, or without any the name of a file or whatever the user types. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

export type Completions = readonly Completion[];
