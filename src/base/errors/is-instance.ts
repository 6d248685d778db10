/**
 * `instanceof`, for what a caller's code may have thrown: a proxy can throw in its turn when it is asked for its prototype. Such a one
 * is an instance of nothing.
 */
export function isInstance<T>(value: unknown, of: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof of;
  } catch {
    return false;
  }
}
