/** Reads a text that we wrote ourselves, so its type is known; undefined if it is damaged. */
export function ifJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
