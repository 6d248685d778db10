import { expect, test } from 'vitest';
import { formatPath } from '../../src/protocol/path.js';

test.each<[PropertyKey[], string]>([
  [[], 'track'],
  [['properties', 'items', 3, 'unit price'], 'track.properties.items[3]["unit price"]'],
  [['$a_1', '1a', ''], 'track.$a_1["1a"][""]'],
  [['say "hi"'], 'track["say \\"hi\\""]'],
  [['line\nend'], 'track["line\\nend"]'],
  [['k'.repeat(40)], `track.${'k'.repeat(40)}`],
  [['k'.repeat(41)], `track["${'k'.repeat(40)}…"]`],
  [[...'abcdefgh'], 'track.a.b.c.d.e.f.g.h'],
  [[...'abcdefghi'], 'track.a.b.c.d….f.g.h.i'],
])('the path %j is formatted as %s', (keys, expected) => {
  expect(formatPath('track', keys)).toBe(expected);
});
