import type { Readable } from 'node:stream';

/** Runs `act` while this process has another standard input. */
export async function withStdin<T>(stdin: Readable, act: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin });
  return act().finally(() => Object.defineProperty(process, 'stdin', own));
}
