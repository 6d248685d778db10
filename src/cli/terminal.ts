import { styleText } from 'node:util';

/** A stream to print to: `process.stdout`, or what a test reads. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Asks NO_COLOR and FORCE_COLOR too. */
  hasColors?(): boolean;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Prints what a command found: for people, or with `--json` one object a line. */
export class Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly isJson: boolean;

  constructor({ out, err, isJson = false }: { out: Output; err: Output; isJson?: boolean }) {
    this.out = out;
    this.err = err;
    this.isJson = isJson;
  }

  /** The result, on standard output. */
  print(text: string, record: object): void {
    this.out.write(`${this.isJson ? JSON.stringify(record) : text}\n`);
  }

  /** What happens on the way, on standard error. */
  note(text: string, record: object): void {
    this.err.write(`${this.isJson ? JSON.stringify(record) : text}\n`);
  }

  /** Whether standard error is a terminal on which a line may be drawn again and again; `NO_COLOR` and `TERM=dumb` say no. */
  get canRedraw(): boolean {
    return !this.isJson && this.err.isTTY === true && this.err.hasColors?.() === true;
  }

  /** Coloured where the stream is a terminal that has colours. */
  style(style: Style, text: string, stream: Output = this.out): string {
    if (stream.isTTY !== true || stream.hasColors?.() !== true) return text;
    return styleText(style, text, { validateStream: false });
  }
}
