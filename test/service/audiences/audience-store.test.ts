import { expect, test } from 'vitest';
import type { AudienceRecord, Sync } from '../../../src/service/audiences/audience-record.js';
import { AudienceStore } from '../../../src/service/audiences/audience-store.js';
import { audienceKey, stagedPrefix } from '../../../src/service/audiences/keys.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

function setUp() {
  const { keyValues } = memoryStorage();
  const clock = new FakeClock();
  let ids = 0;
  const store = new AudienceStore({ keyValues, clock, newId: () => `s${++ids}`, onError: () => {} });
  return { store, keyValues, clock };
}

const named = { kind: 'audience', name: 'VIPs', trait: 'vips' } as const;
const syncedAudience: AudienceRecord = { ...named, members: 1, createdAt: 0, syncedAt: 0 };

/** A change in that phase, whose lease ends so many milliseconds from now. */
const syncIn = (clock: FakeClock, phase: Sync['phase'], leaseMs: number): Pick<AudienceRecord, 'sync' | 'holder'> => ({
  sync: { id: 's0', kind: 'replace', phase, at: 0, received: 0, applied: 0, joined: 0, changed: 0, left: 0 },
  holder: { process: 'p', until: clock.wall() + leaseMs },
});

const codeOf = (act: () => unknown): unknown => {
  try {
    return act() === undefined ? 'none' : 'known';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

test.each<[string, (clock: FakeClock) => AudienceRecord | undefined, Sync['kind'], string]>([
  ['no audience', () => undefined, 'replace', 'none'],
  ['no audience', () => undefined, 'change', 'EVENTFERRY_AUDIENCE_NOT_FOUND'],
  ['no audience', () => undefined, 'remove', 'EVENTFERRY_AUDIENCE_NOT_FOUND'],
  ['a synced audience', () => syncedAudience, 'change', 'known'],
  [
    'the trait of another name',
    () => ({ ...syncedAudience, name: 'vips' }),
    'replace',
    'EVENTFERRY_AUDIENCE_TRAIT_TAKEN',
  ],
  [
    'a computed trait of the same name',
    () => ({ ...syncedAudience, kind: 'trait' }),
    'change',
    'EVENTFERRY_AUDIENCE_TRAIT_TAKEN',
  ],
  [
    'a change with a lease',
    (clock) => ({ ...syncedAudience, ...syncIn(clock, 'receiving', 1) }),
    'change',
    'EVENTFERRY_AUDIENCE_BUSY',
  ],
  [
    'a change whose lease is over',
    (clock) => ({ ...syncedAudience, ...syncIn(clock, 'receiving', -1) }),
    'change',
    'known',
  ],
  [
    'a first list that broke off',
    (clock) => ({ ...named, members: 0, createdAt: 0, ...syncIn(clock, 'receiving', -1) }),
    'remove',
    'EVENTFERRY_AUDIENCE_NOT_FOUND',
  ],
])('a change where the store has %s is allowed or refused (%#)', (_, recordOf, kind, expected) => {
  const { store, clock } = setUp();
  const record = recordOf(clock);
  expect(codeOf(() => store.known({ text: undefined, record }, named, kind))).toBe(expected);
});

test('a change begins with a record that says so, of an audience that is known or made by it', () => {
  const { store } = setUp();
  const change = { kind: 'replace', at: 7 } as const;
  const sync = { id: 's1', phase: 'receiving', received: 0, ...change };
  expect(store.beginning(undefined, named, change)).toMatchObject({ ...named, members: 0, sync });
  expect(store.beginning(syncedAudience, named, change)).toMatchObject({ ...syncedAudience, sync: { id: 's2' } });
});

test('the sweep removes what was staged for changes that are over, and nothing else', async () => {
  const { store, keyValues } = setUp();
  const begun = store.beginning(undefined, named, { kind: 'replace', at: 0 });
  await keyValues.write([{ key: audienceKey('vips'), value: JSON.stringify(begun) }]);
  const prefixes = [stagedPrefix('vips', 's0'), stagedPrefix('vips', 's1'), stagedPrefix('gone', 's7')];
  await keyValues.write(prefixes.map((prefix) => ({ key: `${prefix}000000/ann`, value: '+' })));
  await store.sweepStaged();
  const left = await keyValues.list('staged/', undefined, 10);
  expect(left.map(({ key }) => key)).toEqual([`${stagedPrefix('vips', 's1')}000000/ann`]);
});
