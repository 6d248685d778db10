/** `1,204`: as a whole number, with its thousands apart. */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US');

/** `1 user`, `1,204 deliveries`. */
export function plural(count: number, noun: string): string {
  const many = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}
