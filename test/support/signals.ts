/**
 * Calls the listeners of a signal that were added since `before` was taken, as the signal itself would. A real one would also reach
 * clients that other tests of this process have left with waiting messages, and such a client ends the process two seconds later.
 */
export function raise(signal: NodeJS.Signals, before: readonly unknown[]): void {
  for (const listener of process.rawListeners(signal))
    if (!before.includes(listener)) Reflect.apply(listener, process, [signal]);
}
