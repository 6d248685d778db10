import { styleText } from 'node:util';

/** A stream to print to, such as `process.stdout`. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Also respects NO_COLOR and FORCE_COLOR in the given environment. */
  hasColors?(env?: NodeJS.ProcessEnv): boolean;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Joins the parts into one line. Leaves out empty, undefined and false ones. */
export const columns = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== '').join('  ');

const CLEAR_LINE = '\r\u001b[K';

/** Prints results and notes: as text, or with `--json` as one object per line. */
export class Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly isJson: boolean;

  constructor({ out, err, isJson = false }: { out: Output; err: Output; isJson?: boolean }) {
    this.out = out;
    this.err = err;
    this.isJson = isJson;
  }

  /** Prints the result on standard output. */
  print(text: string, record: object): void {
    this.out.write(`${this.isJson ? JSON.stringify(record) : text}\n`);
  }

  /** Prints a note on standard error, replacing a progress bar on the current line. */
  note(text: string, record: object): void {
    this.err.write(`${this.canRedraw ? CLEAR_LINE : ''}${this.isJson ? JSON.stringify(record) : text}\n`);
  }

  /** True if a line on standard error can be redrawn: not with `NO_COLOR`, with `TERM=dumb` or without a terminal. */
  get canRedraw(): boolean {
    return !this.isJson && hasColors(this.err);
  }

  /** Styles the text if the stream is a terminal with colours. */
  style(style: Style, text: string, stream: Output = this.out): string {
    if (!hasColors(stream)) return text;
    return styleText(style, text, { validateStream: false });
  }
}

/**
 * By the convention of no-color.org an empty `NO_COLOR` counts as unset. Node does not follow it, so an empty value is removed.
 */
function hasColors(stream: Output): boolean {
  const { NO_COLOR, ...env } = process.env;
  return stream.isTTY === true && stream.hasColors?.(NO_COLOR === '' ? env : process.env) === true;
}
