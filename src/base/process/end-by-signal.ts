/** The signals by which a terminal or a platform asks a process to end. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The exit codes that a shell reports after these signals. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Returns true if the signal has listeners other than the caller's `own`. */
export const isHeard = (signal: NodeJS.Signals, own = 0): boolean =>
  process.listenerCount(signal) - own > deferringListeners();

/**
 * Ends this process by a signal for which it has no listener, so that its parent sees the usual status. The system never ends
 * process 1 of a container by a signal, even by its own SIGKILL, so that process exits with the code that a shell would report.
 */
export function endBySignal(signal: NodeJS.Signals, own = 0): void {
  if (process.pid !== 1 || isHeard(signal, own)) process.kill(process.pid, signal);
  // Like a SIGKILL, and unlike an exit, an abort does not wait for other threads.
  else if (signal === 'SIGKILL') process.abort();
  else process.exit(EXIT_CODES[signal]);
}

/**
 * Counts the listeners that the package signal-exit has added, as that package counts them itself. Many tools include it. These
 * listeners leave a signal to any others, and raise it again when there are none.
 */
function deferringListeners(): number {
  const places: readonly object[] = [process, globalThis];
  const names = ['__signal_exit_emitter__', Symbol.for('signal-exit emitter')] as const;
  return names
    .map((name, index) => (places[index] as Record<PropertyKey, { count?: unknown } | undefined>)[name]?.count)
    .reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}
