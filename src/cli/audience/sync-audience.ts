import type { Readable } from 'node:stream';
import type { AdminClient } from '../../admin/admin-client.js';
import { formatCount, plural } from '../../base/text/plural.js';
import type { Terminal } from '../terminal/terminal.js';
import { type IdOptions, openIds } from './id-format.js';
import { type SyncOptions, syncFile } from './list-file.js';

export interface SyncAudienceOptions extends IdOptions, SyncOptions {
  readonly allowStandardTrait?: boolean | undefined;
}

/** Makes the ids of a file the members of an audience. */
export const syncAudience = (
  admin: AdminClient,
  file: string,
  options: SyncAudienceOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> =>
  syncFile(
    {
      noun: 'audience',
      items: 'ids',
      emptied: 'let every member leave',
      open: (input, reading) => openIds(input, options, reading),
      send: (name, ids, signal) =>
        admin.syncAudience(name, ids, { signal, allowStandardTrait: options.allowStandardTrait }),
      tell: ({ joined, left, members, trait }) =>
        `${formatCount(joined)} joined, ${formatCount(left)} left, ${plural(members, 'member')}, trait ${trait}`,
    },
    file,
    options,
    terminal,
    stdin,
  );
