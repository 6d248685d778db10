import * as fs from 'node:fs';
import { join } from 'node:path';
import { listed } from '../../client/journal/file-system.js';
import { ownersOf } from '../../client/journal/owner-folder.js';
import { disownUnknown, isUnknown } from '../../client/journal/owner-note.js';
import type { Terminal } from '../terminal.js';

export interface TakeOverOptions {
  /** The operator says that the processes of which nobody here can tell have ended. */
  readonly takeOver?: boolean | undefined;
}

/** Takes what processes left of which nobody here can tell, if the operator says that they have ended. */
export function takeOverIfTold(path: string, { takeOver = false }: TakeOverOptions): void {
  if (takeOver) disownUnknown(fs, ownersOf(path));
}

/** Says what to do where nobody here can tell if the owner of some messages lives. */
export function adviseTakeOver(path: string, terminal: Terminal): void {
  const owners = ownersOf(path);
  const unknown = listed(fs, owners).filter((name) => isUnknown(fs, join(owners, name))).length;
  if (unknown === 0) return;
  const text = `nobody here can tell whether ${unknown} of their processes live: they have no socket, and run on another machine or ran in a container that is gone; give --take-over when they have ended`;
  terminal.note(`journal: ${text}`, { unknown });
}
