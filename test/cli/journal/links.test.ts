import * as fs from 'node:fs';
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { dropJournaled } from '../../../src/cli/journal/drop.js';
import { flushJournal } from '../../../src/cli/journal/flush.js';
import { onJournal } from '../../../src/cli/journal/found.js';
import { replayJournal } from '../../../src/cli/journal/replay.js';
import { SOCKET } from '../../../src/client/journal/owner-note.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { readableTerminal } from '../terminal.js';
import { newJournal } from './new-journal.js';

const firstOwner = (journal: string): string => join('owners', readdirSync(join(journal, 'owners'))[0] ?? '');

/** The places at which a link is put, by what stands there otherwise. */
const PLACES: Readonly<Record<string, (journal: string) => string>> = {
  format: () => 'format',
  owners: () => 'owners',
  'dead-letters': () => 'dead-letters',
  damaged: () => 'damaged',
  'the folder of a client': firstOwner,
  'the note of a client': (journal) => join(firstOwner(journal), 'source'),
  'the socket of a client': (journal) => join(firstOwner(journal), SOCKET),
  'a batch': (journal) => join(firstOwner(journal), '000001.batch'),
  'dead letters': (journal) => join('dead-letters', readdirSync(join(journal, 'dead-letters'))[0] ?? ''),
};

const COMMANDS = ['flush', 'drop', 'replay'] as const;

async function run(command: (typeof COMMANDS)[number], journal: string): Promise<string> {
  const { terminal, printed } = readableTerminal();
  const to = { endpoint: (await sink(200)).url, writeKey: 'k', timeout: 5 };
  try {
    await onJournal(journal, () => {
      if (command === 'flush') return flushJournal(journal, to, terminal);
      if (command === 'drop') return dropJournaled(journal, { all: true }, terminal);
      return replayJournal(journal, { ...to, all: true }, terminal);
    });
  } catch (error) {
    return (error as Error).message;
  }
  return printed.err;
}

/** Describes everything in a folder: names, times, sizes and contents. */
const stateOf = (folder: string): unknown =>
  (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const path = join(folder, name);
    const { mtimeMs, size, uid } = lstatSync(path);
    return [name, mtimeMs, size, uid, lstatSync(path).isFile() ? fs.readFileSync(path, 'latin1') : ''];
  });

const CASES = Object.keys(PLACES).flatMap((place) =>
  COMMANDS.flatMap((command) => (['what was there', 'nothing'] as const).map((to) => [command, place, to] as const)),
);

test.each(CASES)('journal %s changes nothing outside the journal if %s is a link to %s', async (command, place, to) => {
  const [journal, elsewhere] = [await newJournal(), temporaryFolder()];
  const at = PLACES[place]?.(journal) ?? '';
  const [path, target] = [join(journal, at), join(elsewhere, basename(at))];
  if (to === 'nothing') fs.rmSync(path, { recursive: true, force: true });
  else if (existsSync(path)) renameSync(path, target);
  else if (place === 'damaged') {
    mkdirSync(target);
    writeFileSync(join(target, 'theirs'), 'theirs');
  } else writeFileSync(target, 'theirs');
  symlinkSync(target, path);
  const before = stateOf(elsewhere);
  await run(command, journal);
  expect(stateOf(elsewhere)).toEqual(before);
});

test.each(['format', 'owners', 'dead-letters', 'damaged'])(
  'journal drop ends with one line that says what to do if %s is a link',
  async (name) => {
    const [journal, elsewhere] = [await newJournal(), temporaryFolder()];
    const path = join(journal, name);
    fs.rmSync(path, { recursive: true, force: true });
    symlinkSync(name === 'format' ? join(elsewhere, 'victim') : elsewhere, path);
    expect(await run('drop', journal)).toBe(
      `${path} is a link or something else that the journal did not make and does not use. Remove it`,
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  },
);

test('the path of the journal itself may be a link', async () => {
  const path = join(temporaryFolder(), 'link');
  symlinkSync(await newJournal(), path);
  const { terminal, printed } = readableTerminal();
  expect(await onJournal(path, () => dropJournaled(path, { all: true }, terminal))).toBe(0);
  expect(printed.out).toBe('2 dead letters and 2 waiting messages dropped\n');
});
