import { Terminal } from '../../src/cli/terminal.js';

/** A terminal whose text a test reads. */
export function readableTerminal({ isJson = false, isTTY = false } = {}) {
  const printed = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY,
    hasColors: () => isTTY,
    write: (text: string) => {
      printed[name] += text;
    },
  });
  return { printed, terminal: new Terminal({ out: stream('out'), err: stream('err'), isJson }) };
}
