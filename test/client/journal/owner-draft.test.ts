import * as fs from 'node:fs';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JournalError } from '../../../src/base/errors/journal-errors.js';
import { Journal } from '../../../src/client/journal/journal.js';
import { makeDraft, refillReserves } from '../../../src/client/journal/owner-draft.js';
import { OwnerFolder } from '../../../src/client/journal/owner-folder.js';
import { nodePlatform } from '../../../src/client/platform.js';
import { Analytics } from '../../../src/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { fullDisk } from './faulty-disk.js';
import { leaveBehind, numbered, numbersOf } from './life.js';

/** A client on a disk. */
function openOn(disk: typeof fs, path: string, endpoint: string) {
  const clock = new FakeClock();
  const platform = {
    ...nodePlatform,
    clock,
    openJournal: (...[options, parts]: Parameters<typeof Journal.open>) => Journal.open(options, parts, disk),
  };
  const analytics = new Analytics({ writeKey: 'key', endpoint, journal: path }, platform);
  const kinds: string[] = [];
  analytics.on('journal', (event) => kinds.push('error' in event ? `${event.kind} ${event.error.code}` : event.kind));
  onTestFinished(async () => void (await analytics.close({ timeout: 0 })));
  return { analytics, clock, kinds };
}

test('a client that starts on a full disk sends what others left there, goes on in memory, and stores again when there is room', async () => {
  const path = temporaryFolder();
  await leaveBehind(path, 3);
  const collector = await sink();
  const state = { isFull: true };
  const { analytics, clock, kinds } = openOn(fullDisk(state), path, collector.url);
  const { stored } = analytics.track(numbered(3));
  await analytics.flush();
  expect(numbersOf(collector)).toEqual([0, 1, 2, 3]);
  expect(kinds).toEqual(expect.arrayContaining(['failing EVENTFERRY_JOURNAL_NO_ROOM', 'recovered']));
  state.isFull = false;
  clock.advance(1_000);
  await stored;
  await analytics.track(numbered(4)).stored;
  expect(kinds.at(-1)).toBe('storing');
});

test('clients that begin one after the other on a full disk, and are killed there, each find a reserve', async () => {
  const journal = temporaryFolder();
  await leaveBehind(journal, 1);
  const disk = fullDisk({ isFull: true });
  for (let life = 0; life < 3; life++) {
    const owner = OwnerFolder.create(disk, journal, undefined);
    expect(await owner.adopt(async () => true)).not.toEqual([]);
    await owner.release(true);
  }
  expect(() => OwnerFolder.create(disk, journal, undefined)).toThrow('ENOSPC');
  expect(readdirSync(join(journal, 'owners')).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('the next client on a disk with room makes anew the reserves that are missing, and leaves no draft', async () => {
  const journal = temporaryFolder();
  const reserves = (): string[] => readdirSync(join(journal, 'reserve'));
  await OwnerFolder.create(fs, journal, undefined).release(false);
  rmSync(join(journal, 'reserve', '1'), { recursive: true });
  await OwnerFolder.create(fs, journal, undefined).release(false);
  expect(reserves()).toEqual(['0', '1', '2']);
  expect(readdirSync(join(journal, 'owners'))).toEqual([]);
});

test('a draft that the disk refuses for another reason than its room takes no reserve', () => {
  const journal = temporaryFolder();
  refillReserves(fs, journal, join(journal, 'draft'));
  expect(() => makeDraft(fs, journal, join(journal, 'gone', 'draft'))).toThrow('ENOENT');
  expect(readdirSync(join(journal, 'reserve'))).toHaveLength(3);
  expect(existsSync(join(journal, 'draft'))).toBe(false);
});

test('a journal that is to be made on a full disk is refused', () => {
  const path = join(temporaryFolder(), 'new');
  expect(() => openOn(fullDisk({ isFull: true }), path, 'http://127.0.0.1:1')).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_JOURNAL_NO_ROOM' } satisfies Partial<JournalError>),
  );
});
