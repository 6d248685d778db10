import { isPromise } from '../platform/node.js';

/** Tells whether `await` would wait for the value: a promise of this realm, of another one, or of a library. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (isPromise(value)) return true;
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  try {
    return typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return false;
  }
}

/** Calls `act` with the reason when `value` is a promise that rejects: an unhandled rejection would end the process. */
export function onRejection(value: unknown, act: (reason: unknown) => void): void {
  if (!isPromiseLike(value)) return;
  try {
    // This calls the prototype's own `then`, because a `then` set on the promise itself may not be a function.
    if (isPromise(value)) Promise.prototype.then.call(value, undefined, act);
    else value.then(undefined, act);
  } catch (error) {
    act(error);
  }
}
