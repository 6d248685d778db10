import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { Log } from '../service-log.js';

/** The interval in ms at which it tries to open a file. */
const LOOK_MS = 1_000;

/** The error codes for the limits of this process and of the machine. */
const OUT_OF_DESCRIPTORS = ['EMFILE', 'ENFILE'];

/**
 * Logs when no more files and connections can be opened, and when they can be again. In this state Node accepts connections and
 * drops them without an error.
 *
 * @returns a function that stops it
 */
export function watchDescriptors({ clock, log }: { clock: Clock; log: Log }): () => void {
  let isOut = false;
  const look = async (): Promise<void> => {
    const code = await problem();
    const isOutNow = OUT_OF_DESCRIPTORS.includes(code ?? '');
    if (isOutNow === isOut) return;
    isOut = isOutNow;
    if (isOut) log.error({ code }, OUT);
    else log.info({}, 'files and connections can be opened again');
  };
  return startInterval({ clock, everyMs: LOOK_MS, act: look, onError: () => {} });
}

const OUT =
  'no more files and connections can be opened: new connections are dropped and deliveries fail; raise the limit (`ulimit -n`, `LimitNOFILE`)';

/** Tries to open a file, and returns the error code if that fails. */
async function problem(): Promise<string | undefined> {
  try {
    await (await open(devNull)).close();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
