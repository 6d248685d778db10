/** The most that one request may name. */
export const MAX_USERS = 5_000;

export interface UserIds {
  /** Each once, in their order. */
  readonly ids: readonly string[];
  /** How many lines named one that another names too. */
  readonly repeated: number;
}

/** One id per line, without the blanks around it. Empty lines do not count. */
export function readUserIds(text: string): UserIds {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ids = [...new Set(lines)];
  return { ids, repeated: lines.length - ids.length };
}
