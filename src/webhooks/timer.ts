/** Calls `act` after so many milliseconds, unless what it returns is called first. Keeps no process alive. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  // Not every runtime gives an object.
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
}
