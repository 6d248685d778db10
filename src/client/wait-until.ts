/** Keeps a serverless function running, after its answer too, until the promise is settled. The promise never rejects. */
export type WaitUntil = (promise: Promise<unknown>) => void;

interface RequestContext {
  readonly waitUntil?: WaitUntil;
}

/** Where platforms offer it, by request: Next's adapters, which Next's page about `after` describes, and Vercel's own functions. */
const PLACES = ['@next/request-context', '@vercel/request-context'].map((name) => Symbol.for(name));

const places = globalThis as { readonly [place: symbol]: { get?(): RequestContext | undefined } | undefined };

/** The platform's own, where it has one: that of the request in which it is called. */
export function platformWaitUntil(): WaitUntil | undefined {
  if (process.env['VERCEL'] === undefined && PLACES.every((place) => places[place] === undefined)) return undefined;
  return (promise) => {
    const place = PLACES.find((place) => places[place] !== undefined);
    if (place !== undefined) places[place]?.get?.()?.waitUntil?.(promise);
  };
}

/** Hands over one promise for each burst of calls, and sends what they have brought. */
export class Handover {
  readonly #flush: () => Promise<unknown>;
  readonly #call: (waitUntil: WaitUntil, promise: Promise<unknown>) => void;
  /** Has the promise that is for the calls to come until the caller's code has run. */
  #holder: WaitUntil | undefined;

  /**
   * @param flush must not reject
   * @param call calls it, and lets nothing that it throws through
   */
  constructor(flush: () => Promise<unknown>, call: (waitUntil: WaitUntil, promise: Promise<unknown>) => void) {
    this.#flush = flush;
    this.#call = call;
  }

  /** A call was made. */
  note(waitUntil: WaitUntil): void {
    if (this.#holder === waitUntil) return;
    this.#holder = waitUntil;
    this.#call(
      waitUntil,
      Promise.resolve().then(() => {
        this.#holder = undefined;
        return this.#flush();
      }),
    );
  }
}
