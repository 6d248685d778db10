import { formatCount } from '../format.js';

/** `1 user`, `1,204 deliveries`. */
export function plural(count: number, noun: string): string {
  const many = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}
