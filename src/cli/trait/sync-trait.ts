import type { Readable } from 'node:stream';
import type { AdminClient } from '../../admin/admin-client.js';
import { formatCount, plural } from '../../base/text/plural.js';
import { type SyncOptions, syncFile } from '../audience/list-file.js';
import type { Terminal } from '../terminal/terminal.js';
import { openValues, type ValueOptions } from './values.js';

export interface SyncTraitOptions extends ValueOptions, SyncOptions {}

/** Replaces the values of a computed trait by those in a file. */
export const syncTrait = (
  admin: AdminClient,
  file: string,
  options: SyncTraitOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> =>
  syncFile(
    {
      noun: 'trait',
      items: 'values',
      emptied: 'remove the value of every user',
      open: (input, reading) => openValues(input, options, reading),
      send: (name, values, signal) => admin.syncTrait(name, values, { signal }),
      tell: ({ added, changed, removed, users, trait }) =>
        [
          `${formatCount(added)} added`,
          `${formatCount(changed)} changed`,
          `${formatCount(removed)} removed`,
          plural(users, 'user'),
          `trait ${trait}`,
        ].join(', '),
    },
    file,
    options,
    terminal,
    stdin,
  );
