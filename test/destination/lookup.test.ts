import { expect, test } from 'vitest';
import { type Lookup, shared } from '../../src/destination/lookup.js';

type Answer = Parameters<Lookup>[2];

test('those who ask for one name at the same time share one lookup, and the next asks anew', () => {
  const asked: Answer[] = [];
  const lookup = shared((_, __, answer) => void asked.push(answer));
  const heard: string[] = [];
  const ask = (host: string): void =>
    lookup(host, { all: false }, (_, address) => heard.push(`${host} ${String(address)}`));
  ask('a.example');
  ask('a.example');
  ask('b.example');
  expect(asked).toHaveLength(2);
  asked[0]?.(null, '192.0.2.1', 4);
  expect(heard).toEqual(['a.example 192.0.2.1', 'a.example 192.0.2.1']);
  ask('a.example');
  expect(asked).toHaveLength(3);
});
