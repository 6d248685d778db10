import * as fs from 'node:fs';
import { join } from 'node:path';
import { listed } from '../../client/journal/file-system.js';
import { ownersOf } from '../../client/journal/owner-folder.js';
import { disownUnknown, isUnknown } from '../../client/journal/owner-note.js';
import type { Terminal } from '../terminal.js';

export interface TakeOverOptions {
  /** The operator's word that processes which cannot be asked have ended. @default false */
  readonly takeOver?: boolean | undefined;
}

/** Takes over the messages of processes that cannot be asked, if the operator says that they have ended. */
export function takeOverIfTold(path: string, { takeOver = false }: TakeOverOptions): void {
  if (takeOver) disownUnknown(fs, ownersOf(path));
}

/** Advises what to do about messages whose owner cannot be asked whether it lives. */
export function adviseTakeOver(path: string, terminal: Terminal): void {
  const owners = ownersOf(path);
  const unknown = listed(fs, owners).filter((name) => isUnknown(fs, join(owners, name))).length;
  if (unknown === 0) return;
  const text = `nobody here can tell whether ${unknown} of their processes live: they have no socket, and run on another machine or ran in a container that is gone; give --take-over when they have ended`;
  terminal.note(`journal: ${text}`, { unknown });
}
