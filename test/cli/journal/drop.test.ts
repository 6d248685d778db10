import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dropJournaled } from '../../../src/cli/journal/drop.js';
import { newOwner, writeBatch } from '../../client/journal/left-folder.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { run, runProcess } from '../command.js';
import { readableTerminal } from '../terminal.js';
import { newJournal, recordsOf } from './new-journal.js';

test("journal drop removes a user's dead letters and messages of ended processes", async () => {
  const path = await newJournal();
  for (const user of ['Gone 1', 'Left 2']) expect((await run(['journal', 'drop', path, '--user', user])).code).toBe(0);
  const rest = recordsOf((await run(['journal', 'list', path, '--json'])).out);
  expect(rest.map(({ message }) => message.event)).toEqual(['Left 1', 'Gone 2']);
});

test('journal drop asks a living process, which drops and erases its own messages, and prints the sum', async () => {
  const path = await newJournal();
  const { analytics, lost } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  const receipt = analytics.track({ userId: 'Left 1', event: 'Mine', properties: { secret: 'x' } });
  const kept = analytics.track({ userId: 'Other', event: 'Kept' });
  kept.delivered.catch(() => {});
  const ending = receipt.delivered.catch(({ code }) => code);
  await kept.stored;
  const { code, out, err } = await runProcess(['journal', 'drop', path, '--user', 'Left 1', '--json']);
  expect({ code, err, counts: recordsOf(out) }).toMatchObject({
    code: 0,
    err: '',
    counts: [{ dead: 0, waiting: 2, sent: 0, owned: 0 }],
  });
  expect(await ending).toBe('EVENTFERRY_FORGOTTEN');
  expect(lost.map(({ message, error }) => [message, error.code])).toContainEqual([undefined, 'EVENTFERRY_FORGOTTEN']);
  const text = filesUnder(path).map(([, each]) => each);
  expect(text.join('')).not.toMatch(/Left 1|Mine|secret/);
  expect(text.join('')).toMatch(/Kept/);
});

test('journal drop fails and says so if a living process with messages does not answer', async () => {
  const path = temporaryFolder();
  const owner = newOwner(path);
  writeBatch(owner.path, [JSON.stringify({ type: 'track', messageId: 'm', userId: 'u1' })]);
  const { code, err } = await runProcess(['journal', 'drop', path, '--user', 'u1']);
  expect({ code, err }).toEqual({
    code: 1,
    err: `journal: 1 message stays, as a living process owns it and does not answer; end it first\n${UNANSWERED}`,
  });
});

const UNANSWERED = `journal: process ${process.pid} on ${hostname()} does not answer, and may have messages in memory; end it, then run the command again\n`;

test('journal drop fails if a living process does not answer, even if none of its messages are on the disk', async () => {
  const path = temporaryFolder();
  newOwner(path);
  expect(await run(['journal', 'drop', path, '--user', 'u1'])).toMatchObject({ code: 1, err: UNANSWERED });
  const { code, err } = await run(['journal', 'drop', path, '--user', 'u1', '--json']);
  expect({ code, notes: recordsOf(err) }).toEqual({
    code: 1,
    notes: [{ unanswered: { pid: process.pid, host: hostname() } }],
  });
});

test('journal drop does not fail if a process ends before it answers', async () => {
  const path = temporaryFolder();
  const owner = newOwner(path, undefined, {
    answer: () => {
      void owner.release();
      return new Promise(() => {});
    },
  });
  writeBatch(owner.path, [JSON.stringify({ type: 'track', messageId: 'm', userId: 'u1' })]);
  expect(await run(['journal', 'drop', path, '--user', 'u1'])).toMatchObject({
    code: 0,
    out: '0 dead letters and 1 waiting message dropped\n',
    err: '',
  });
});

test('journal drop says which process it waits for, if a living one takes long to answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = temporaryFolder();
  let answer = (_: string): void => {};
  const asked = new Promise<void>((resolve) => {
    const onAsked = (): Promise<string> => {
      resolve();
      return new Promise((settle) => {
        answer = settle;
      });
    };
    newOwner(path, undefined, { answer: onAsked });
  });
  const { printed, terminal } = readableTerminal();
  const dropping = dropJournaled(path, { user: 'u1' }, terminal);
  await asked;
  vi.advanceTimersByTime(1_999);
  expect(printed.err).toBe('');
  vi.advanceTimersByTime(1);
  expect(printed.err).toBe(
    `journal: waiting up to five minutes for process ${process.pid} on ${hostname()} to drop its messages\n`,
  );
  vi.useRealTimers();
  answer(JSON.stringify({ forgotten: { waiting: 1, dead: 0, sent: 0 } }));
  expect(await dropping).toBe(0);
  expect(printed.out).toBe('0 dead letters and 1 waiting message dropped\n');
});

/** Makes a client of a running program, whose messages wait until it is flushed. */
function newProgram(path: string, endpoint: string) {
  const { analytics, clock } = client({ endpoint, journal: path, flushAt: 10_000 });
  const track = async (event: string, first: number): Promise<void> => {
    const receipts = [1, 2, 3, 4].map((user) =>
      analytics.track({ userId: `u${user % 2}`, event, messageId: `${event} ${first + user}` }),
    );
    for (const { delivered } of receipts) delivered.catch(() => {});
    await Promise.all(receipts.map(({ stored }) => stored.catch(() => {})));
  };
  return { analytics, clock, track };
}

test('journal drop removes all messages of a user while programs run, end and take over folders, and no other message', async () => {
  const path = temporaryFolder();
  const collector = await sink();
  const [first, second] = [newProgram(path, collector.url), newProgram(path, 'http://127.0.0.1:1')];
  for (let n = 0; n < 40; n += 4) {
    await first.track('first', n);
    await second.track('second', n);
  }
  const { terminal } = readableTerminal();
  const dropping = dropJournaled(path, { user: 'u1' }, terminal);
  const going = (async () => {
    await first.track('meanwhile', 0);
    const closing = second.analytics.close({ timeout: 1 });
    const timer = setInterval(() => second.clock.advance(10), 1);
    await closing;
    clearInterval(timer);
    const third = newProgram(path, collector.url);
    await third.track('third', 0);
    return third;
  })();
  expect(await dropping).toBe(0);
  const before = collector.messages.length;
  const third = await going;
  for (const [, text] of filesUnder(path)) expect(text).not.toMatch(/"userId":"u1","event":"(first|second)"/);
  const ends = [first, third].map(async ({ analytics }) => {
    await analytics.flush();
    return analytics.close();
  });
  for (const { accepted, recovered, delivered, lost, pending } of await Promise.all(ends)) {
    expect([accepted + recovered, pending]).toEqual([delivered + lost, 0]);
  }
  const ids = collector.messages.map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => /^(first|second) \d*[24680]$/.test(id))).toHaveLength(40);
  const late = ids.slice(before).filter((id) => /^(first|second) \d*[13579]$/.test(id));
  expect(late).toEqual([]);
});

/** Returns every file in a folder with its text. */
function filesUnder(folder: string): [path: string, text: string][] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path, readFileSync(path, 'latin1')];
  });
}

/** Makes a journal with a message that cannot be read, a dead letter that was cut off, and bytes that were set aside. */
async function damagedJournal(): Promise<string> {
  const path = await newJournal();
  const [segment = '', text = ''] = filesUnder(path).find(([, text]) => text.includes('Left 1')) ?? [];
  writeFileSync(segment, text.replace('"userId":"Left 1"', '"userId":"Lift 1"'), 'latin1');
  const [letters = ''] = filesUnder(path).find(([file]) => file.includes('dead-letters')) ?? [];
  truncateSync(letters, statSync(letters).size - 9);
  mkdirSync(join(path, 'damaged'));
  writeFileSync(join(path, 'damaged', 'x'), 'what was Left 1');
  return path;
}

test('journal drop --all leaves no text of any message in the folder, even if files are damaged', async () => {
  const path = await damagedJournal();
  const { code, err } = await run(['journal', 'drop', path, '--all', '--yes']);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^journal: \d+ damaged bytes erased, because they may belong to anyone\n$/),
  });
  for (const [, text] of filesUnder(path)) expect(text).not.toMatch(/Left|Lift|Gone|messageId/);
});

test('journal drop --user also erases damaged bytes, which may be of that user, but no intact message of others', async () => {
  const path = await damagedJournal();
  const { code, out } = await run(['journal', 'drop', path, '--user', 'Nobody', '--json']);
  expect({ code, counts: recordsOf(out) }).toMatchObject({ code: 0, counts: [{ dead: 0, waiting: 0 }] });
  const text = filesUnder(path).map(([, each]) => each);
  expect(text.join('')).not.toMatch(/Left 1|Lift 1|Gone 2/);
  expect(text.join('')).toMatch(/Left 2/);
  expect(text.join('')).toMatch(/Gone 1/);
});

test('journal drop --type leaves damaged bytes alone', async () => {
  const path = await damagedJournal();
  const { err } = await run(['journal', 'drop', path, '--type', 'page']);
  expect({ err, isThere: existsSync(join(path, 'damaged', 'x')) }).toEqual({ err: '', isThere: true });
});

test('journal drop --code removes only dead letters and no waiting messages', async () => {
  const path = await newJournal();
  const { code, out } = await run(['journal', 'drop', path, '--code', 'EVENTFERRY_REJECTED', '--json']);
  expect({ code, counts: recordsOf(out) }).toEqual({
    code: 0,
    counts: [{ dead: 2, waiting: 0, sent: 0, damagedBytes: 0, owned: 0 }],
  });
  const { out: counted } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(counted)).toEqual([{ owned: 0, left: 2, dead: 0, damaged: 0 }]);
});

test('journal drop --dry-run prints how many messages it would remove, and removes nothing', async () => {
  const path = await newJournal();
  const all = await run(['journal', 'drop', path, '--all', '--dry-run']);
  expect(all).toMatchObject({ code: 0, out: '2 dead letters and 2 waiting messages would be dropped\n' });
  const { out } = await run(['journal', 'drop', path, '--user', 'Gone 1', '--dry-run', '--json']);
  expect(recordsOf(out)).toEqual([{ dead: 1, waiting: 0, owned: 0, dryRun: true }]);
  expect(recordsOf((await run(['journal', 'list', path, '--json'])).out)).toHaveLength(4);
});

test('without a terminal, journal drop --all needs --yes', async () => {
  const path = await newJournal();
  const { code, out, err } = await run(['journal', 'drop', path, '--all']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(
    'journal: --all removes for good; give --yes to go on, or --dry-run to see what would go (EVENTFERRY_CLI_USAGE)\n',
  );
  expect(recordsOf((await run(['journal', 'list', path, '--json'])).out)).toHaveLength(4);
  const { out: dropped } = await run(['journal', 'drop', path, '--all', '--yes']);
  expect(dropped).toBe('2 dead letters and 2 waiting messages dropped\n');
});
