/** Calls `act` at the first Ctrl-C or SIGTERM; a second one ends the process at once. Returns a function that stops listening. */
export function onInterrupt(act: () => void): () => void {
  const stop = (): void => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  const interrupt = (): void => {
    stop();
    act();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return stop;
}

/** Resolves at the first Ctrl-C or SIGTERM, even if the signal ends only the npx that started the process. */
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

/** The time between two looks of a process at whether it still has its parent, in ms. */
const LOOK_MS = 500;

/**
 * Tells whether npx or `npm run` started this command in the foreground. They use a shell that ends on a signal without
 * passing it on, so the command only notices that its parent is gone.
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
