import { Terminal } from '../../src/cli/terminal/terminal.js';

interface Kind {
  readonly isJson?: boolean;
  readonly isTTY?: boolean;
  /** As `hasColors` of a stream answers. */
  readonly hasColors?: boolean;
  readonly columns?: number;
}

/** A terminal whose text a test reads. */
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
