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
