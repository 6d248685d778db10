import type { Logger } from 'pino';
import { errorFields } from '../../service/log.js';

/**
 * Kills the process after an uncaught error. `process.exit` could wait for ever: in the middle of a transaction, lmdb's
 * writing thread waits for ours. What the service acknowledged is on the disk.
 */
export function endAtUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal(
      { ...errorFields(error), stack: error instanceof Error ? error.stack : undefined },
      'an error was not caught; the service stops',
    );
    process.kill(process.pid, 'SIGKILL');
  });
}
