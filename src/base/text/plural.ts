/** Rounds to a whole number and separates its thousands: `1,204`. */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US');

/** Writes a count with its noun: `1 user`, `1,204 deliveries`. */
export function plural(count: number, noun: string): string {
  const many = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}
