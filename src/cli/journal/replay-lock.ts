import * as fs from 'node:fs';
import { deadLettersOf } from '../../client/journal/dead-letter-file.js';
import { checkFolder, diskOf } from '../../client/journal/file-system.js';
import { FolderLock } from '../../store/lmdb/folder-lock.js';
import { describeProcess } from '../../store/store-errors.js';
import { whenInUse } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';

/**
 * Runs `act` while no other command replays or drops the dead letters of a journal. The lock ends with `act` or the process.
 *
 * @param waiting the terminal of a command that waits for the other command. Without it, the function throws instead of waiting
 * @throws CliError if another command replays or drops them
 */
export async function whileAlone<T>(journal: string, act: () => Promise<T>, waiting?: Terminal): Promise<T> {
  const path = deadLettersOf(journal);
  checkFolder(fs, path);
  if (!fs.existsSync(path)) return act();
  const disk = diskOf(fs, journal);
  const lock = await FolderLock.take({
    path,
    timeoutMs: waiting === undefined ? 0 : Number.POSITIVE_INFINITY,
    onWait: ({ pid, host }) => {
      const text = `waiting for ${describeProcess({ pid, host, isOurs: false })}, which replays or drops dead letters`;
      waiting?.note(`journal: ${text}`, { waitingFor: { pid, host } });
    },
    onSocket: (socket) => disk.chmodSync(socket, 0o600),
  }).catch(
    whenInUse((owner) => `${owner} replays or drops the dead letters of ${journal}; try again when it has ended`),
  );
  try {
    return await act();
  } finally {
    await lock.release();
  }
}
