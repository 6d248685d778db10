/**
 * Suspends a process between two of its transactions, as in the middle of one it would hold up all that write: it is
 * suspended while this process has the lock.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { open } from 'lmdb';

const [path = '', pid = ''] = process.argv.slice(2);

/** A thread's state stands behind its name, which is in parentheses: `T` when it is stopped. */
const isStopped = (): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) T [^)]*$/.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );

const db = open({ path, noSubdir: false });
db.transactionSync(() => {
  process.kill(Number(pid), 'SIGSTOP');
  while (!isStopped());
});
await db.close();
