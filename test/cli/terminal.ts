import { Terminal } from '../../src/cli/terminal.js';

interface Kind {
  readonly isJson?: boolean;
  readonly isTTY?: boolean;
  /** As `hasColors` of a stream answers. */
  readonly hasColors?: boolean;
}

/** A terminal whose text a test reads. */
export function readableTerminal({ isJson = false, isTTY = false, hasColors = isTTY }: Kind = {}) {
  const printed = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY,
    hasColors: () => hasColors,
    write: (text: string) => {
      printed[name] += text;
    },
  });
  return { printed, terminal: new Terminal({ out: stream('out'), err: stream('err'), isJson }) };
}
