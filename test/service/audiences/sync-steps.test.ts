import { expect, test } from 'vitest';
import type { Sync } from '../../../src/service/audiences/audience-record.js';
import type { Difference } from '../../../src/service/audiences/difference.js';
import { entryText, membersPrefix, stagedPrefix } from '../../../src/service/audiences/keys.js';
import { runPrefix } from '../../../src/service/audiences/merged-runs.js';
import { type Step, stepsOf } from '../../../src/service/audiences/sync-steps.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

interface Given {
  readonly kind: Sync['kind'];
  /** As `ann`, or with a value as `ann=7`. */
  readonly members: readonly string[];
  /** As `+ann`, `+ann=7` and `-bob`. */
  readonly staged: readonly string[];
  readonly cursor?: string;
}

const RECORD = { kind: 'trait', name: 'T', trait: 't', members: 0, createdAt: 0 } as const;

function entryOf(prefix: string, text: string): { key: string; value: string } {
  const [id = '', json = 'true'] = text.slice(1).split('=');
  return { key: prefix + id, value: entryText({ json: text.startsWith('+') ? json : undefined, rest: '' }) };
}

async function stepsIn({ kind, members, staged, cursor }: Given, stepSize: number): Promise<Step[]> {
  const { keyValues } = memoryStorage();
  const prefix = runPrefix(stagedPrefix('t', 's1'), 0);
  await keyValues.write([
    ...members.map((text) => entryOf(membersPrefix('t'), `+${text}`)),
    ...staged.map((text) => entryOf(prefix, text)),
  ]);
  const none = { received: 0, applied: 0, joined: 0, changed: 0, left: 0, at: 0 };
  const sync: Sync = { id: 's1', kind, phase: 'applying', cursor, ...none };
  const next = await stepsOf({ keyValues, stepSize }, RECORD, sync);
  const steps: Step[] = [];
  do steps.push(await next());
  while (!steps.at(-1)?.isLast);
  return steps;
}

const shown = (steps: readonly Step[]): string[] => steps.map(({ differences }) => differences.map(shownOne).join(' '));

function shownOne({ userId, json, isKnown }: Difference): string {
  if (json === undefined) return `-${userId}`;
  return `${isKnown ? '~' : '+'}${userId}${json === 'true' ? '' : `=${json}`}`;
}

test.each<[string, Given, string[]]>([
  ['a first list', { kind: 'replace', members: [], staged: ['+a', '+b', '+c'] }, ['+a +b', '+c']],
  ['the same list', { kind: 'replace', members: ['a', 'b'], staged: ['+a', '+b'] }, ['']],
  ['another list', { kind: 'replace', members: ['a', 'c'], staged: ['+b', '+c', '+d'] }, ['-a +b', '+d']],
  ['a list after a cursor', { kind: 'replace', members: ['a', 'c'], staged: ['+b'], cursor: 'b' }, ['-c']],
  ['a removal', { kind: 'remove', members: ['a', 'b', 'c'], staged: [] }, ['-a -b', '-c']],
  [
    'a list of values',
    { kind: 'replace', members: ['a=1', 'b=2', 'c=3'], staged: ['+a=1', '+b=3', '+d=4'] },
    ['~b=3 -c', '+d=4'],
  ],
  [
    'a change of values',
    { kind: 'change', members: ['a=1', 'b=2', 'c=3'], staged: ['+a=1', '+b=3', '-c', '-d'] },
    ['~b=3', '-c', ''],
  ],
  [
    'a list that says of a user that there is no value',
    { kind: 'replace', members: ['a=1'], staged: ['-a', '-b'] },
    ['-a'],
  ],
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
