import * as fs from 'node:fs';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { Source } from '../../../src/client/journal/owner-note.js';
import { Recovery } from '../../../src/client/journal/recovery.js';
import { Problems } from '../../../src/client/journal/system-errors.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { mark, newOwner } from './left-folder.js';
import { leave, numbered, numbersOf, open } from './life.js';

/** Leaves a message that was accepted with the given write key. */
async function leaveAs(writeKey: string, path: string, n: number): Promise<void> {
  const life = open(path, { writeKey });
  const { stored, delivered } = life.analytics.track(numbered(n));
  delivered.catch(() => {});
  await stored;
  await leave(life);
}

test('a folder is marked with a salted digest that its source recognises and that does not show the key', () => {
  const [first, second] = [temporaryFolder(), temporaryFolder()];
  const source = new Source('key-a', []);
  for (const folder of [first, second]) mark(folder, source);
  const [note, other] = [first, second].map((folder) => readFileSync(join(folder, 'source'), 'latin1'));
  expect(note).not.toContain('key-a');
  expect(note).not.toBe(other);
  expect(source.owns(fs, first)).toBe(true);
  expect(new Source('key-b', []).owns(fs, first)).toBe(false);
  expect(new Source('key-b', ['key-a']).owns(fs, first)).toBe(true);
  expect(new Source('key-b', 'all').owns(fs, first)).toBe(true);
});

test('a folder without a note, or with an incomplete one, belongs to every source', () => {
  const folder = temporaryFolder();
  expect(new Source('key', []).owns(fs, folder)).toBe(true);
  writeFileSync(join(folder, 'source'), '0123');
  expect(new Source('key', []).owns(fs, folder)).toBe(true);
});

test('a folder with one wrong bit in the note of its source belongs to every source', () => {
  const folder = temporaryFolder();
  mark(folder, new Source('key', []));
  const other = new Source('other', []);
  expect(other.owns(fs, folder)).toBe(false);
  const note = readFileSync(join(folder, 'source'));
  for (let at = 0; at < note.indexOf('\n'); at++) {
    const damaged = Buffer.from(note);
    damaged.writeUInt8(note.readUInt8(at) ^ 1, at);
    writeFileSync(join(folder, 'source'), damaged);
    expect([at, other.owns(fs, folder)]).toEqual([at, true]);
  }
});

test('a source that takes over a folder marks it as its own once', () => {
  const folder = temporaryFolder();
  mark(folder, new Source('key-a', []));
  const adopting = new Source('key-b', ['key-a']);
  expect(adopting.owns(fs, folder)).toBe(true);
  mark(folder, adopting);
  expect([new Source('key-a', []), new Source('key-b', [])].map((source) => source.owns(fs, folder))).toEqual([
    false,
    true,
  ]);
  const note = readFileSync(join(folder, 'source'));
  mark(folder, adopting);
  expect(readFileSync(join(folder, 'source'))).toEqual(note);
});

test('messages of a client with another write key are not sent, and the client reports them once', async () => {
  const path = temporaryFolder();
  await leaveAs('key-a', path, 1);
  await leaveAs('key-a', path, 2);
  const collector = await sink();
  const { analytics, clock, events } = open(path, { writeKey: 'key-b', endpoint: collector.url });
  await expect.poll(() => events.length).toBe(1);
  expect(events).toMatchObject([
    { kind: 'foreign', messages: 2, error: { code: 'EVENTFERRY_JOURNAL_OTHER_SOURCE', path } },
  ]);
  expect(String(events.map((event) => 'error' in event && event.error))).not.toMatch(/key-[ab]/);
  clock.advance(2_000);
  expect(await analytics.close()).toMatchObject({ recovered: 0 });
  expect({ events: events.length, messages: collector.messages }).toEqual({ events: 1, messages: [] });
  const owner = open(path, { writeKey: 'key-a', endpoint: collector.url });
  expect(await owner.analytics.close()).toMatchObject({ recovered: 2, delivered: 2 });
  expect(numbersOf(collector)).toEqual([1, 2]);
});

test('messages of another source that cannot be read at first are reported by a later look', async () => {
  const path = temporaryFolder();
  await leaveAs('key-a', path, 1);
  let isRefused = false;
  const disk = faultyDisk((name, [file]) => {
    if (isRefused || name !== 'open' || !String(file).endsWith('.batch')) return undefined;
    isRefused = true;
    return refusal('EMFILE');
  });
  const told: number[] = [];
  const source = new Source('key-b', []);
  const recovery = new Recovery({
    fs: disk,
    path,
    owner: newOwner(path, source, { disk }),
    source,
    newBatch: () => new Batch('id', { maxBytes: 500_000, maxMessages: 1_000 }),
    onRecovered: () => {},
    onDamaged: () => {},
    problems: new Problems((...args) => new JournalError(...args), path),
    onEvent: (event) => event.kind === 'foreign' && told.push(event.messages),
    pause: async () => {},
  });
  for (const expected of [[], [1], [1]]) {
    await recovery.look();
    expect(told).toEqual(expected);
  }
});

test('a folder of another source without waiting messages is not reported', async () => {
  const path = temporaryFolder();
  const folder = join(path, 'owners', '0');
  mark(folder, new Source('key-a', []));
  const { analytics, events } = open(path, { writeKey: 'key-b' });
  await analytics.close();
  expect({ events, left: readdirSync(join(path, 'owners')) }).toEqual({ events: [], left: ['0'] });
});

test.each([{ adopt: ['key-a'] }, { adopt: 'all' as const }])(
  'a client with the option adopt $adopt sends the messages of that key',
  async (how) => {
    const path = temporaryFolder();
    await leaveAs('key-a', path, 1);
    const collector = await sink();
    const { analytics, events } = open(path, { writeKey: 'key-b', endpoint: collector.url, journal: { path, ...how } });
    expect(await analytics.close()).toMatchObject({ recovered: 1, delivered: 1 });
    expect({ sent: numbersOf(collector), events }).toEqual({ sent: [1], events: [{ kind: 'recovered', messages: 1 }] });
  },
);

test('messages that a client has adopted from another source belong to its own source from then on', async () => {
  const path = temporaryFolder();
  await leaveAs('key-a', path, 1);
  const adopting = open(path, { writeKey: 'key-b', journal: { path, adopt: ['key-a'] } });
  await expect.poll(() => adopting.analytics.stats().recovered).toBe(1);
  await leave(adopting);
  const collector = await sink();
  const next = open(path, { writeKey: 'key-b', endpoint: collector.url });
  expect(await next.analytics.close()).toMatchObject({ recovered: 1, delivered: 1 });
  expect(numbersOf(collector)).toEqual([1]);
});

test.each([42, 'key-a', [42]])('the value %j for journal.adopt is refused and not shown in the error', (adopt) => {
  const journal = { path: temporaryFolder(), adopt: adopt as never };
  expect(() => open(journal.path, { journal })).toThrow(
    /`journal.adopt` to be a list of write keys, or 'all', got (?!.*key-a)/,
  );
});
