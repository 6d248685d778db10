import { ENDING_SIGNALS, endBySignal, isHeard } from '../../base/process/end-by-signal.js';

/** How often a process checks that its parent still exists, in ms. */
const LOOK_MS = 500;

/** The parent at the start of the program, because a signal may end it before anything listens. */
const parent = process.ppid;

/**
 * Calls `act` at the first Ctrl-C or SIGTERM, even if the signal only ends the npx that started the process. A second signal ends
 * the process immediately. Returns a function that stops listening.
 */
export function onInterrupt(act: () => void): () => void {
  const look = isBelowNpm(process.env) ? setInterval(() => isOrphaned() && interrupt(), LOOK_MS).unref() : undefined;
  const stop = (): void => {
    clearInterval(look);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  };
  const interrupt = (): void => {
    stop();
    act();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return stop;
}

/** Resolves at the first Ctrl-C or SIGTERM. */
export const whenInterrupted = (): Promise<void> => new Promise((resolve) => void onInterrupt(resolve));

/** Ends process 1 of a container at a signal that nobody listens for. The system does this for every other process. */
export function endAtUnheardSignals(): void {
  for (const signal of process.pid === 1 ? ENDING_SIGNALS : []) {
    process.on(signal, () => {
      if (!isHeard(signal, 1)) endBySignal(signal, 1);
    });
  }
}

/**
 * Tells whether npx or `npm run` started this command in the foreground. They use a shell that ends at a signal without passing
 * it on, so the command only notices that its parent is gone.
 */
function isBelowNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  const isInBackground = /(^|[^&])&([^&]|$)|nohup|setsid/.test(script);
  return script.includes('eventferry') && !isInBackground;
}

const isOrphaned = (): boolean => process.ppid !== parent;
