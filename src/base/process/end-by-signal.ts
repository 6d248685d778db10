/** The signals by which a terminal or a platform asks a process to end. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The exit codes that a shell reports after these signals. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Tells whether the signal has listeners other than the caller's `own`. */
export const isHeard = (signal: NodeJS.Signals, own = 0): boolean =>
  process.listenerCount(signal) - own > deferringListeners();

/**
 * Ends this process by a signal that it does not listen for, so that its parent sees the usual status. The system spares process 1
 * of a container, even from its own SIGKILL, so that one exits with the code that a shell would report.
 */
export function endBySignal(signal: NodeJS.Signals, own = 0): void {
  if (process.pid !== 1 || isHeard(signal, own)) process.kill(process.pid, signal);
  // Like a SIGKILL, and unlike an exit, an abort waits for no thread.
  else if (signal === 'SIGKILL') process.abort();
  else process.exit(EXIT_CODES[signal]);
}

/**
 * Counts the listeners of the package signal-exit, which many tools bring along, as it counts them itself. They leave a signal to others
 * where there are any, and raise it again when they are alone.
 */
function deferringListeners(): number {
  const places: readonly object[] = [process, globalThis];
  const names = ['__signal_exit_emitter__', Symbol.for('signal-exit emitter')] as const;
  return names
    .map((name, index) => (places[index] as Record<PropertyKey, { count?: unknown } | undefined>)[name]?.count)
    .reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}
