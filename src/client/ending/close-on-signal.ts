import { OptionError } from '../../base/errors/errors.js';
import { inOwnContext } from '../../base/platform/node.js';
import { endNow } from './process-end.js';
import { processLosses } from './process-losses.js';

/** The part of a client that acts on a signal. */
export interface Signalled {
  /** The program ends by itself: from now on the client sends each message without delay. */
  hurry(): void;
  close(): Promise<unknown>;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Marks our listeners, so that two copies of the package (ESM and CommonJS) do not take each other for the program. */
const OURS = Symbol.for('eventferry.signal-listener');

/**
 * A terminal and the program that started this one (npm, a watcher) may each pass on the same Ctrl-C. No one presses it twice
 * within this time.
 */
const ECHO_MS = 100;

const clients = new Set<Signalled>();
let closingSince: number | undefined;

/**
 * Signals reach the main thread alone: in a worker the option would do nothing.
 *
 * @throws OptionError
 */
export function checkSignals(): void {
  const threads = process.getBuiltinModule('node:worker_threads');
  if (threads === undefined || threads.isMainThread) return;
  const hint =
    'Signals reach the main thread alone: let it post a message to the worker, and call `close()` when that message comes';
  throw new OptionError('client', 'closeOnSignal', 'left out in a worker thread', 'true', hint);
}

/**
 * Lets `client` deliver its waiting messages before a signal ends the process. Returns a function that undoes this.
 *
 * A program with a listener for the signal ends by itself; the client sends each message at once until then. Without such a
 * listener the client closes, and then the signal ends the process.
 */
export function closeOnSignal(client: Signalled): () => void {
  // It listens in front of the others: a listener that is called `once` is gone when it has been called.
  if (clients.size === 0) inOwnContext(startListening);
  clients.add(client);
  return () => {
    clients.delete(client);
    if (clients.size === 0) stopListening();
  };
}

const heed = Object.assign(
  (signal: NodeJS.Signals): void => {
    if (isHeardElsewhere(signal)) {
      for (const client of clients) client.hurry();
    } else if (closingSince === undefined) {
      void closeAll(signal);
    } else if (performance.now() - closingSince >= ECHO_MS) {
      endBy(signal);
    }
  },
  { [OURS]: true },
);

async function closeAll(signal: NodeJS.Signals): Promise<void> {
  closingSince = performance.now();
  await Promise.allSettled([...clients].map((client) => client.close()));
  endBy(signal);
}

/** Raises the signal again for the system to act on, once the last copy of the package has stopped listening. */
function endBy(signal: NodeJS.Signals): void {
  stopListening();
  processLosses.tell();
  if (process.listeners(signal).some(isOurs)) return;
  if (!isHeardElsewhere(signal)) endNow();
  process.kill(process.pid, signal);
}

function startListening(): void {
  for (const signal of SIGNALS) process.prependListener(signal, heed);
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, heed);
}

const isOurs = (listener: object): boolean => OURS in listener;

function isHeardElsewhere(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !isOurs(listener));
  return others.length > deferringListeners();
}

/**
 * Listeners of the package signal-exit, which many tools bring along: as it counts them itself. They leave a signal to others
 * where there are any, and raise it again when they are alone.
 */
function deferringListeners(): number {
  const places: readonly object[] = [process, globalThis];
  const names = ['__signal_exit_emitter__', Symbol.for('signal-exit emitter')] as const;
  return names
    .map((name, index) => (places[index] as Record<PropertyKey, { count?: unknown } | undefined>)[name]?.count)
    .reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}
