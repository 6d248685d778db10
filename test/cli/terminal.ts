import { Terminal } from '../../src/cli/terminal/terminal.js';

interface Kind {
  readonly isJson?: boolean;
  readonly isTTY?: boolean;
  /** The result of the stream's `hasColors`. */
  readonly hasColors?: boolean;
  readonly columns?: number;
}

/** Creates a terminal whose output a test can read. */
export function readableTerminal({ isJson = false, isTTY = false, hasColors = isTTY, columns }: Kind = {}) {
  const printed = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY,
    columns,
    hasColors: () => hasColors,
    write: (text: string) => {
      printed[name] += text;
    },
  });
  return { printed, terminal: new Terminal({ out: stream('out'), err: stream('err'), isJson }) };
}
