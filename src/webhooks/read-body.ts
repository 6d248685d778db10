import { assertRaw } from '../signature/bytes.js';
import { RefusedError, tooLarge } from './receiver-errors.js';
import type { ResolvedReceiverOptions } from './receiver-options.js';

/** Reads the raw body. Rejects with `tooLarge(maxBytes)` when more bytes arrive, and stops reading when the signal aborts. */
export type BodyReader = (maxBytes: number, signal: AbortSignal) => Promise<Uint8Array>;

type Bounds = Pick<ResolvedReceiverOptions, 'maxBytes' | 'bodyTimeout'>;

/**
 * Reads the body within its bounds.
 *
 * @throws RefusedError with 408 or 413
 * @throws RawBodyError if the body is neither bytes nor a string, for example a parsed object
 */
export async function readBody(source: string | Uint8Array | BodyReader, bounds: Bounds): Promise<Uint8Array> {
  const raw = typeof source === 'function' ? await readInTime(source, bounds) : source;
  assertRaw(raw);
  const bytes = typeof raw === 'string' ? new TextEncoder().encode(raw) : raw;
  if (bytes.length > bounds.maxBytes) throw tooLarge(bounds.maxBytes);
  return bytes;
}

function readInTime(read: BodyReader, { maxBytes, bodyTimeout }: Bounds): Promise<Uint8Array> {
  const controller = new AbortController();
  return new Promise<Uint8Array>((resolve, reject) => {
    const stop = after(bodyTimeout, () => {
      const refusal = new RefusedError(408, `The body did not arrive within ${bodyTimeout} ms`);
      reject(refusal);
      controller.abort(refusal);
    });
    // A reader that is not async returns or throws at once.
    const reading = (async () => read(maxBytes, controller.signal))();
    reading.then(resolve, reject).finally(stop);
  });
}

/** Calls `act` after `ms` milliseconds, unless the returned function is called first. The timer does not keep the process alive. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  // In some runtimes a timer is a number.
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
}
