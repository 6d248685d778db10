import { variable } from '../platform/node.js';

/** Keeps a serverless function running, even after its response, until the promise is settled. The promise never rejects. */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** A global variable that platforms set. It holds the `waitUntil` of the current request. */
interface RequestContext {
  get?(): { readonly waitUntil?: WaitUntil } | undefined;
}

const places = globalThis as { readonly [name: symbol]: RequestContext | undefined };

/** Next's documentation of `after` names the first, for adapters that run Next; Vercel's own functions use the second. */
const findPlace = (): RequestContext | undefined =>
  places[Symbol.for('@next/request-context')] ?? places[Symbol.for('@vercel/request-context')];

/** Returns the platform's own `waitUntil`, if it has one. It applies to the request in which it is called. */
export function platformWaitUntil(): WaitUntil | undefined {
  // Vercel may set its variable after the client was created.
  if (findPlace() === undefined && !variable('VERCEL')) return undefined;
  return (promise) => findPlace()?.get?.()?.waitUntil?.(promise);
}

/**
 * Passes one promise to `waitUntil` for each burst of calls, and sends their messages. Returns a function to call after each
 * call.
 *
 * @param flush must not reject
 * @param call calls `waitUntil` and catches whatever it throws
 */
export function handingOver(
  flush: () => Promise<unknown>,
  call: (waitUntil: WaitUntil, promise: Promise<unknown>) => void,
): (waitUntil: WaitUntil) => void {
  /** The `waitUntil` that already holds a promise for further calls; reset once the caller's code has run. */
  let holder: WaitUntil | undefined;
  const burst = (): Promise<unknown> => {
    holder = undefined;
    return flush();
  };
  return (waitUntil) => {
    if (holder === waitUntil) return;
    holder = waitUntil;
    call(waitUntil, Promise.resolve().then(burst));
  };
}
