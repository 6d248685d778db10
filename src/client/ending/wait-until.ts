import { variable } from '../platform/node.js';

/** Keeps a serverless function running, after its answer too, until the promise is settled. The promise never rejects. */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** A global that platforms set, which gives the `waitUntil` of each request. */
interface Place {
  get?(): { readonly waitUntil?: WaitUntil } | undefined;
}

const places = globalThis as { readonly [name: symbol]: Place | undefined };

/** Next's page about `after` names the first, for platforms that run Next by an adapter; Vercel's own functions use the second. */
const findPlace = (): Place | undefined =>
  places[Symbol.for('@next/request-context')] ?? places[Symbol.for('@vercel/request-context')];

/** The platform's own, where it has one: that of the request in which it is called. */
export function platformWaitUntil(): WaitUntil | undefined {
  // Vercel may make its place after the client.
  if (findPlace() === undefined && !variable('VERCEL')) return undefined;
  return (promise) => findPlace()?.get?.()?.waitUntil?.(promise);
}

/**
 * Hands over one promise for each burst of calls, and sends what they have brought. Returns what is to be called after each.
 *
 * @param flush must not reject
 * @param call calls it, and lets nothing that it throws through
 */
export function handingOver(
  flush: () => Promise<unknown>,
  call: (waitUntil: WaitUntil, promise: Promise<unknown>) => void,
): (waitUntil: WaitUntil) => void {
  /** Has the promise that is for the calls to come until the caller's code has run. */
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
