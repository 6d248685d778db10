/**
 * Calls `act` at the first Ctrl-C, or when the process is asked to end; the second ends the process at once. Returns what
 * stops listening.
 */
export function onInterrupt(act: () => void): () => void {
  const stop = (): void => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  const interrupt = (): void => {
    stop();
    act();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return stop;
}

/** Resolves at the first Ctrl-C, or when the process is asked to end, also by ending the npx that started it. */
export function whenInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    const stopLooking = isBelowNpm(process.env) ? whenOrphaned(() => end()) : () => {};
    const stopListening = onInterrupt(() => end());
    const end = (): void => {
      stopListening();
      stopLooking();
      resolve();
    };
  });
}

/** How often a process looks whether it still has its parent, in ms. */
const LOOK_MS = 500;

/**
 * Whether npx or `npm run` started this very command in the foreground. They do it in a shell, which ends on a signal
 * without handing it on, so that only the loss of that parent tells of it.
 */
function isBelowNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  const isInBackground = /(^|[^&])&([^&]|$)|nohup|setsid/.test(script);
  return script.includes('eventferry') && !isInBackground;
}

function whenOrphaned(act: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) act();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
