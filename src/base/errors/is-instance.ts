/**
 * Works as `instanceof`, also for what a caller's code has thrown. A proxy may throw when its prototype is read, and then counts
 * as an instance of nothing.
 */
export function isInstance<T>(value: unknown, of: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof of;
  } catch {
    return false;
  }
}
