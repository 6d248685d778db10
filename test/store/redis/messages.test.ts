import { expect, test } from 'vitest';
import { sourcedId } from '../../../src/delivery/event-names.js';
import { Messages } from '../../../src/store/redis/messages.js';

test('no two messages get the same ref, from one process or from several', () => {
  const [one, other] = [new Messages('{own}:'), new Messages('{own}:')];
  const refs = Array.from({ length: 100 }, () => [one.newRef(), other.newRef()]).flat();
  expect(new Set(refs).size).toBe(200);
});

test('a ref can never be the id of an event', () => {
  const ref = new Messages('{own}:').newRef();
  const slashes = (text: string) => text.split('/').length;
  expect(ref).toMatch(/^\/\//);
  expect(slashes(ref)).toBeLessThan(slashes(sourcedId('', '')));
});
