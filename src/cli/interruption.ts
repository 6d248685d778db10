import { ENDING_SIGNALS, endBySignal, isHeard } from '../base/process/end-by-signal.js';

/** The time between two looks of a process at whether it still has its parent, in ms. */
const LOOK_MS = 500;

/** The parent when the program began: a signal may end it before anybody listens. */
const parent = process.ppid;

/** What is to be called at a signal. */
const interrupts = new Set<() => void>();

/**
 * Calls `act` at the first Ctrl-C or SIGTERM, even if the signal ends only the npx that started the process. A second one ends the
 * process at once. Returns a function that stops listening.
 */
export function onInterrupt(act: () => void): () => void {
  const look = isBelowNpm(process.env) ? setInterval(() => isOrphaned() && interrupt(), LOOK_MS).unref() : undefined;
  const stop = (): void => {
    clearInterval(look);
    interrupts.delete(interrupt);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  };
  const interrupt = (): void => {
    stop();
    act();
  };
  interrupts.add(interrupt);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return stop;
}

/** Resolves at the first Ctrl-C or SIGTERM. */
export const whenInterrupted = (): Promise<void> => new Promise((resolve) => void onInterrupt(resolve));

/** Acts as at a signal. Returns false if the command listens for none. */
export function interruptNow(): boolean {
  const isAwaited = interrupts.size > 0;
  for (const each of [...interrupts]) each();
  return isAwaited;
}

/**
 * Lets a signal for which the command does not listen, or not any more, end it as process 1 of a container too. The system does so
 * for every other process.
 */
export function endAtUnheardSignals(): void {
  if (process.pid !== 1) return;
  for (const signal of ENDING_SIGNALS) {
    const end = (): void => {
      if (isHeard(signal, 1)) return;
      process.off(signal, end);
      endBySignal(signal);
    };
    process.on(signal, end);
  }
}

/**
 * Tells whether npx or `npm run` started this command in the foreground. They use a shell that ends on a signal without
 * passing it on, so the command only notices that its parent is gone.
 */
function isBelowNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  const isInBackground = /(^|[^&])&([^&]|$)|nohup|setsid/.test(script);
  return script.includes('eventferry') && !isInBackground;
}

const isOrphaned = (): boolean => process.ppid !== parent;
