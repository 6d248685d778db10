import type { Logger } from 'pino';
import { errorFields } from '../../service/log.js';

/**
 * Ends the process at once when something was thrown that nobody caught. `process.exit` could wait for ever: the thread
 * with which lmdb writes waits for ours when it is in the middle of a transaction. What was acknowledged is on the disk.
 */
export function endAtUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal(
      { ...errorFields(error), stack: error instanceof Error ? error.stack : undefined },
      'the service cannot go on',
    );
    process.kill(process.pid, 'SIGKILL');
  });
}
