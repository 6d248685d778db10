import * as fs from 'node:fs';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Lifeline } from '../../../src/base/process/lifeline.js';
import { foldersIn, OwnerFolder, ownersIn, removeFolder } from '../../../src/client/journal/owner-folder.js';
import { Source } from '../../../src/client/journal/source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

const readable = async (_folder: string): Promise<boolean> => true;

const owners = (journal: string, ...names: string[]): string => join(journal, 'owners', ...names);

/** An owner that lives until the test ends. */
function live(journal: string): OwnerFolder {
  const owner = OwnerFolder.create(fs, journal, undefined);
  onTestFinished(() => owner.release(true));
  return owner;
}

/** A folder as one client after the other has left it, each inside the one that has adopted it. */
function leave(journal: string, ...names: string[]): void {
  const inner = names.flatMap((name, index) => (index === 0 ? [name] : ['adopted', name]));
  mkdirSync(owners(journal, ...inner, 'adopted'), { recursive: true });
  writeFileSync(owners(journal, ...inner, 'segment-000001'), '');
}

/** What an owner adopts, by its names. */
async function adopted(owner: OwnerFolder, mayRead = readable, known: readonly string[] = []): Promise<string[]> {
  const paths = await owner.adopt(mayRead, { isKnown: (path) => known.includes(basename(path)) });
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  return paths.map((path) => relative(join(owner.path, 'adopted'), path));
}

test('an owner folder of a journal is for its user alone, and lives from the moment it can be seen', async () => {
  const journal = join(temporaryFolder(), 'a', 'journal');
  const owner = live(journal);
  expect(owner.keep()).toBe(true);
  expect(await ownersIn(fs, journal)).toEqual([{ path: owner.path, isAlive: true }]);
  for (const path of [journal, owners(journal), owner.path]) expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readdirSync(owners(journal))).toEqual([basename(owner.path)]);
});

test('an owner folder of a journal that is moved away or removed is not there any more', () => {
  const journal = temporaryFolder();
  const owner = live(journal);
  renameSync(owner.path, `${owner.path}-elsewhere`);
  expect(owner.keep()).toBe(false);
  renameSync(`${owner.path}-elsewhere`, owner.path);
  expect(owner.keep()).toBe(true);
});

test('an owner that is released with messages left leaves a folder that counts as dead', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(fs, journal, undefined);
  await owner.release(true);
  expect(await ownersIn(fs, journal)).toEqual([{ path: owner.path, isAlive: false }]);
});

test('an owner that is released without messages left removes its folder', async () => {
  const journal = temporaryFolder();
  await OwnerFolder.create(fs, journal, undefined).release(false);
  expect(await ownersIn(fs, journal)).toEqual([]);
});

test('an owner adopts the folders of dead owners, oldest first, and never those of living ones', async () => {
  const journal = temporaryFolder();
  for (const name of ['b', 'a']) leave(journal, name);
  const other = live(journal);
  const owner = live(journal);
  expect(await adopted(owner)).toEqual(['a', 'b']);
  expect(existsSync(other.path)).toBe(true);
  expect(await adopted(owner, readable, ['a', 'b'])).toEqual([]);
});

test('a dead owner goes to exactly one of the owners that look at once', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b', 'c']) leave(journal, name);
  const found = await Promise.all([live(journal), live(journal)].map((owner) => adopted(owner)));
  expect(found.flat().toSorted()).toEqual(['a', 'b', 'c']);
});

test('a dead owner that may not be read stays where it is, with all that it had adopted', async () => {
  const journal = temporaryFolder();
  leave(journal, 'b', 'a');
  const owner = live(journal);
  expect(await adopted(owner, async (folder: string) => basename(folder) !== 'a')).toEqual([]);
  expect(existsSync(owners(journal, 'b', 'adopted', 'a'))).toBe(true);
});

test('folders that a dead owner had adopted are laid beside it, from any depth, those first whose messages came first', async () => {
  const journal = temporaryFolder();
  leave(journal, 'd', 'b', 'a');
  leave(journal, 'd', 'c');
  leave(journal, 'e');
  expect(await adopted(live(journal))).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('adopted folders that a crash has left half laid side by side are laid side by side by the next owner', async () => {
  const journal = temporaryFolder();
  // c had adopted b with a inside of it, and had moved one of the two folders of b when it was killed.
  leave(journal, 'c', 'b', 'a2');
  leave(journal, 'c', 'a1');
  expect(foldersIn(fs, owners(journal, 'c')).map((path) => basename(path))).toEqual(['a1', 'a2', 'b', 'c']);
  expect(await adopted(live(journal))).toEqual(['a1', 'a2', 'b', 'c']);
});

test('drafts of owners that ended while they made them are removed after an hour, and adopted by no one', async () => {
  const journal = temporaryFolder();
  const owner = live(journal);
  const draft = (madeAt: number): string => `.new-${madeAt.toString(36).padStart(9, '0')}-0`;
  const [old, young] = [draft(Date.now() - 61 * 60_000), draft(Date.now())];
  for (const name of [old, young]) mkdirSync(owners(journal, name));
  expect(await adopted(owner)).toEqual([]);
  expect(readdirSync(owners(journal)).toSorted()).toEqual([young, basename(owner.path)]);
  expect(await ownersIn(fs, journal)).toHaveLength(1);
});

test('the folder of an owner whose messages have ended stays while folders inside of it have some left', () => {
  const journal = temporaryFolder();
  leave(journal, 'b', 'a');
  removeFolder(fs, owners(journal, 'b'));
  expect(readdirSync(owners(journal, 'b'))).toEqual(['adopted']);
  removeFolder(fs, owners(journal, 'b', 'adopted', 'a'));
  removeFolder(fs, owners(journal, 'b'));
  expect(existsSync(owners(journal, 'b'))).toBe(false);
});

test('the folder of an owner that was killed while it removed it is removed by the next', () => {
  const journal = temporaryFolder();
  mkdirSync(owners(journal, 'a'), { recursive: true });
  removeFolder(fs, owners(journal, 'a'));
  expect(readdirSync(owners(journal))).toEqual([]);
});

/** A disk that refuses the first such call, for want of descriptors. */
function refusesOnce(call: string, isMeant: (path: string) => boolean): typeof fs {
  let isRefused = false;
  return faultyDisk((name, [path]) => {
    if (isRefused || name !== call || !isMeant(String(path))) return undefined;
    isRefused = true;
    return refusal('EMFILE');
  });
}

test.each([
  { where: 'before it is renamed', call: 'readFileSync', file: 'source' },
  { where: 'after it was renamed', call: 'readdirSync', file: join('adopted', 'b', 'adopted') },
])(
  'a dead owner that the system refuses to read once, $where, is adopted at the next look; the others at once',
  async ({ call, file }) => {
    const journal = temporaryFolder();
    for (const name of ['a', 'b', 'c']) leave(journal, name);
    for (const name of ['a', 'b', 'c']) new Source('key', []).mark(fs, owners(journal, name));
    const disk = refusesOnce(call, (path) => path.endsWith(file) && (call === 'readdirSync' || path.includes('/b/')));
    const owner = OwnerFolder.create(disk, journal, new Source('key', []));
    onTestFinished(() => owner.release(true));
    const known: string[] = [];
    const look = async (): Promise<string[]> => {
      const paths = await owner.adopt(readable, { isKnown: (path) => known.includes(path) });
      known.push(...paths);
      return paths.map((path) => basename(path));
    };
    expect(await look()).toEqual(['a', 'c']);
    expect(await look()).toEqual(['b']);
    expect(await look()).toEqual([]);
  },
);

test('an owner whose socket cannot be made anew at once goes on trying, and says that it lives only when it has one', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(
    refusesOnce('chmodSync', (path) => !path.includes('.new-')),
    journal,
    undefined,
  );
  onTestFinished(() => owner.release(true));
  rmSync(join(owner.path, 'alive'));
  expect(owner.keep()).toBe(false);
  expect(owner.keep()).toBe(true);
  expect(await Lifeline.isAlive(owner.path, 'alive')).toBe(true);
});
