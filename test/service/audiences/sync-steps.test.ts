import { expect, test } from 'vitest';
import type { Sync } from '../../../src/service/audiences/audience-record.js';
import { entryAt, membersPrefix, stagedPrefix } from '../../../src/service/audiences/keys.js';
import { type MemberDifference, type SyncStep, stepsOf } from '../../../src/service/audiences/sync-steps.js';
import { writeAll } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

interface Given {
  readonly kind: Sync['kind'];
  /** Each is written as `ann`, or with a value as `ann=7`. */
  readonly members: readonly string[];
  /** Each is written as `+ann`, `+ann=7` or `-bob`. */
  readonly staged: readonly string[];
  readonly cursor?: string;
}

function entryOf(prefix: string, text: string): { key: string; value: string } {
  const [id = '', json = 'true'] = text.slice(1).split('=');
  return { key: prefix + id, value: entryAt(id, { userId: id, json: text.startsWith('+') ? json : undefined }) };
}

async function stepsIn({ kind, members, staged, cursor }: Given, stepSize: number): Promise<SyncStep[]> {
  const { keyValues } = memoryStorage();
  const prefix = stagedPrefix('t', 's1');
  await writeAll(keyValues, [
    ...members.map((text) => entryOf(membersPrefix('t'), `+${text}`)),
    ...staged.map((text) => entryOf(prefix, text)),
  ]);
  const none = { received: 0, applied: 0, joined: 0, changed: 0, left: 0, at: 0 };
  const sync: Sync = { id: 's1', kind, phase: 'applying', cursor, ...none };
  const steps: SyncStep[] = [];
  for await (const step of stepsOf({ keyValues, stepSize }, 't', sync)) steps.push(step);
  return steps;
}

const shown = (steps: readonly SyncStep[]): string[] =>
  steps.map(({ differences }) => differences.map(shownOne).join(' '));

function shownOne({ userId, json, isKnown }: MemberDifference): string {
  if (json === undefined) return `-${userId}`;
  return `${isKnown ? '~' : '+'}${userId}${json === 'true' ? '' : `=${json}`}`;
}

test.each<[string, Given, string[]]>([
  ['a first list', { kind: 'replace', members: [], staged: ['+a', '+b', '+c'] }, ['+a +b', '+c']],
  ['the same list', { kind: 'replace', members: ['a', 'b'], staged: ['+a', '+b'] }, ['']],
  ['another list', { kind: 'replace', members: ['a', 'c'], staged: ['+b', '+c', '+d'] }, ['-a +b', '+d']],
  ['an empty list', { kind: 'replace', members: ['a', 'b', 'c'], staged: [] }, ['-a -b', '-c']],
  [
    'a list after a cursor among the members',
    { kind: 'replace', members: ['a', 'b', 'c'], staged: ['+b', '+d'], cursor: `${membersPrefix('t')}b` },
    ['-c +d'],
  ],
  [
    'a list after a cursor in the list',
    { kind: 'replace', members: ['a', 'b'], staged: ['+b', '+c', '+d'], cursor: `${stagedPrefix('t', 's1')}c` },
    ['+d'],
  ],
  ['a removal', { kind: 'remove', members: ['a', 'b', 'c'], staged: [] }, ['-a -b', '-c']],
  ['nothing at all', { kind: 'replace', members: [], staged: [] }, []],
  [
    'a list of values',
    { kind: 'replace', members: ['a=1', 'b=2', 'c=3'], staged: ['+a=1', '+b=3', '+d=4'] },
    ['-c ~b=3', '+d=4'],
  ],
  [
    'a change of values',
    { kind: 'change', members: ['a=1', 'b=2', 'c=3'], staged: ['+a=1', '+b=3', '-c', '-d'] },
    ['~b=3 -c', ''],
  ],
  [
    'a list that says of a user that there is no value',
    { kind: 'replace', members: ['a=1'], staged: ['-a', '-b'] },
    ['-a'],
  ],
  ['joins and leaves', { kind: 'change', members: ['a', 'b'], staged: ['-a', '+b', '+c', '-d'] }, ['-a +c', '']],
])('each step for %s changes at most two users', async (_, given, expected) => {
  expect(shown(await stepsIn(given, 2))).toEqual(expected);
});

test('each step has the key that it reached and the number of given ids that it compared', async () => {
  const steps = await stepsIn({ kind: 'replace', members: ['a', 'x'], staged: ['+a', '+b', '+c'] }, 1);
  expect(steps.map(({ cursor, applied }) => [cursor, applied])).toEqual([
    ['member/t/x', 0],
    ['staged/t/s1/b', 2],
    ['staged/t/s1/c', 1],
  ]);
});

test('a difference has the entry that the member will have', async () => {
  const [step] = await stepsIn({ kind: 'replace', members: ['a'], staged: ['+b=7'] }, 2);
  expect(step?.differences).toEqual([
    { userId: 'a', json: undefined, key: 'member/t/a', value: undefined, isKnown: true },
    { userId: 'b', json: '7', key: 'member/t/b', value: '7\n', isKnown: false },
  ]);
});

test('a long list without a difference is compared in several steps, so that its progress is visible', async () => {
  const ids = Array.from({ length: 45_000 }, (_, index) => `u${index}`);
  const given = { kind: 'replace', members: ids, staged: ids.map((id) => `+${id}`) } as const;
  const steps = await stepsIn(given, 500);
  expect(steps.map(({ applied }) => applied)).toEqual([20_000, 20_000, 5_000]);
});
