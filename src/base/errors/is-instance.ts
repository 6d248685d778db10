/**
 * Works like `instanceof`, but is safe for values that a caller's code has thrown. A proxy may throw when its prototype is read;
 * it then counts as an instance of nothing.
 */
export function isInstance<T>(value: unknown, of: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof of;
  } catch {
    return false;
  }
}
