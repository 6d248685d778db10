import * as fs from 'node:fs';
import { unknownIn } from '../../client/journal/client-folders.js';
import type { Terminal } from '../terminal/terminal.js';

/** Advises what to do about the messages of clients that cannot be checked. */
export function adviseTakeOver(path: string, terminal: Terminal): void {
  const unknown = unknownIn(fs, path).length;
  if (unknown === 0) return;
  const text = `the messages of ${unknown} ${unknown === 1 ? 'client' : 'clients'} stay, because they belong to another machine or container and have no socket, so that nothing tells whether they still run; once they have ended, give --take-over`;
  terminal.note(`journal: ${text}`, { unknown });
}
