import type { TypedMessage } from '../../../src/index.js';

export const at = (index: number) => new Date(Date.UTC(2020, 0, 1) + index * 1_000).toISOString();

export const rowOf = (index: number): TypedMessage => ({
  type: 'track',
  userId: 'u1',
  event: `e${index}`,
  timestamp: at(index),
  messageId: `m${index}`,
});

export function* rows(count: number): Generator<TypedMessage> {
  for (let index = 0; index < count; index++) yield rowOf(index);
}
