import * as fs from 'node:fs';
import { deadLettersOf } from '../../client/journal/dead-letter-file.js';
import { checkFolder, diskOf } from '../../client/journal/file-system.js';
import { FolderLock } from '../../store/lmdb/folder-lock.js';
import { describeProcess } from '../../store/store-errors.js';
import { whenInUse } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';

/**
 * Keeps other commands from replaying or dropping the dead letters of a journal until `act` or the process has ended.
 *
 * @throws CliError if another command replays or drops them
 */
export const whileReplaying = <T>(journal: string, act: () => Promise<T>): Promise<T> =>
  locked(journal, { timeoutMs: 0 }, act);

/** Waits until no command replays dead letters, because it would send dropped ones, and locks them until `act` has ended. */
export const whileNobodyReplays = <T>(journal: string, terminal: Terminal, act: () => Promise<T>): Promise<T> =>
  locked(
    journal,
    {
      timeoutMs: Number.POSITIVE_INFINITY,
      onWait: ({ pid, host }) => {
        const text = `waiting for ${describeProcess({ pid, host, isOurs: false })}, which replays or drops dead letters`;
        terminal.note(`journal: ${text}`, { waitingFor: { pid, host } });
      },
    },
    act,
  );

async function locked<T>(
  journal: string,
  how: Pick<Parameters<typeof FolderLock.take>[0], 'timeoutMs' | 'onWait'>,
  act: () => Promise<T>,
): Promise<T> {
  const path = deadLettersOf(journal);
  checkFolder(fs, path);
  if (!fs.existsSync(path)) return act();
  const disk = diskOf(fs, journal);
  const lock = await FolderLock.take({ ...how, path, onSocket: (socket) => disk.chmodSync(socket, 0o600) }).catch(
    whenInUse((owner) => `${owner} replays or drops the dead letters of ${journal}; try again when it has ended`),
  );
  try {
    return await act();
  } finally {
    await lock.release();
  }
}
