/** The maximum number of users in one request. */
export const MAX_USERS = 5_000;

export interface UserIds {
  /** Each id once, in the order of the lines. */
  readonly ids: readonly string[];
  /** The number of lines that repeat an id. */
  readonly repeated: number;
}

/** Reads one id per line and trims it. Empty lines are ignored. */
export function readUserIds(text: string): UserIds {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ids = [...new Set(lines)];
  return { ids, repeated: lines.length - ids.length };
}
