import { expect, test } from 'vitest';
import { membersPrefix, stagedPrefix } from '../../../src/service/audiences/keys.js';
import { runPrefix } from '../../../src/service/audiences/merged-runs.js';
import type { Sync } from '../../../src/service/audiences/record.js';
import { type Step, stepsOf } from '../../../src/service/audiences/steps.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

interface Given {
  readonly kind: Sync['kind'];
  readonly members: readonly string[];
  /** As `+ann` and `-bob`. */
  readonly staged: readonly string[];
  readonly cursor?: string;
}

async function stepsIn({ kind, members, staged, cursor }: Given, stepSize: number): Promise<Step[]> {
  const { keyValues } = memoryStorage();
  const prefix = runPrefix(stagedPrefix('t', 's1'), 0);
  await keyValues.write([
    ...members.map((id) => ({ key: membersPrefix('t') + id, value: '' })),
    ...staged.map((text) => ({ key: prefix + text.slice(1), value: text.slice(0, 1) })),
  ]);
  const none = { received: 0, applied: 0, joined: 0, left: 0, leaseUntil: 0, at: 0 };
  const sync: Sync = { id: 's1', kind, phase: 'applying', cursor, ...none };
  const next = await stepsOf({ keyValues, stepSize }, { name: 'T', trait: 't', members: 0, createdAt: 0 }, sync);
  const steps: Step[] = [];
  do steps.push(await next());
  while (!steps.at(-1)?.isLast);
  return steps;
}

const shown = (steps: readonly Step[]): string[] =>
  steps.map(({ differences }) => differences.map(({ userId, joins }) => `${joins ? '+' : '-'}${userId}`).join(' '));

test.each<[string, Given, string[]]>([
  ['a first list', { kind: 'replace', members: [], staged: ['+a', '+b', '+c'] }, ['+a +b', '+c']],
  ['the same list', { kind: 'replace', members: ['a', 'b'], staged: ['+a', '+b'] }, ['']],
  ['another list', { kind: 'replace', members: ['a', 'c'], staged: ['+b', '+c', '+d'] }, ['-a +b', '+d']],
  ['a list after a cursor', { kind: 'replace', members: ['a', 'c'], staged: ['+b'], cursor: 'b' }, ['-c']],
  ['a removal', { kind: 'remove', members: ['a', 'b', 'c'], staged: [] }, ['-a -b', '-c']],
  ['joins and leaves', { kind: 'change', members: ['a', 'b'], staged: ['-a', '+b', '+c', '-d'] }, ['-a', '+c', '']],
])('the steps of %s change at most two users each', async (_, given, expected) => {
  expect(shown(await stepsIn(given, 2))).toEqual(expected);
});

test('each step has the place it reaches, and how many given ids it compared', async () => {
  const steps = await stepsIn({ kind: 'replace', members: ['a'], staged: ['+a', '+b', '+c'] }, 1);
  expect(steps.map(({ cursor, applied }) => [cursor, applied])).toEqual([
    ['b', 2],
    ['c', 1],
    [undefined, 0],
  ]);
});
