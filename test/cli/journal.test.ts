import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showProgress } from '../../src/cli/journal/progress.js';
import { client } from '../support/client.js';
import { serve } from '../support/loopback.js';
import { sink } from '../support/sink.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { run, start } from './command.js';
import { readableTerminal } from './terminal.js';

const events = (messages: readonly object[]): string[] =>
  messages.map((message) => (message as { event: string }).event);
const recordsOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** A journal in which a client that is closed has left two waiting messages, and two dead letters before. */
async function newJournal(): Promise<string> {
  const path = temporaryFolder();
  const first = client({ endpoint: (await sink(403)).url, journal: path });
  for (const event of ['Gone 1', 'Gone 2']) {
    first.analytics.track({ userId: event, event, messageId: event }).delivered.catch(() => {});
  }
  await first.analytics.flush();
  await first.analytics.close();
  const second = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  const receipts = ['Left 1', 'Left 2'].map((event) =>
    second.analytics.track({ userId: event, event, messageId: event }),
  );
  for (const { delivered } of receipts) delivered.catch(() => {});
  await Promise.all(receipts.map(({ stored }) => stored));
  const closed = second.analytics.close({ timeout: 1 });
  const timer = setInterval(() => second.clock.advance(10), 1);
  await closed;
  clearInterval(timer);
  return path;
}

test('journal stats counts what waits and what could not be delivered', async () => {
  const path = await newJournal();
  const { code, out } = await run(['journal', 'stats', path, '--json']);
  expect({ code, counts: recordsOf(out) }).toEqual({ code: 0, counts: [{ owned: 0, left: 2, dead: 2 }] });
});

test('journal list prints waiting messages and dead letters, and takes filters', async () => {
  const path = await newJournal();
  const list = async (...args: string[]) =>
    recordsOf((await run(['journal', 'list', path, '--json', ...args])).out).map(({ message }) => message.event);
  expect(await list()).toEqual(['Left 1', 'Left 2', 'Gone 1', 'Gone 2']);
  expect(await list('--dead')).toEqual(['Gone 1', 'Gone 2']);
  expect(await list('--waiting')).toEqual(['Left 1', 'Left 2']);
  expect(await list('--user', 'Gone 2')).toEqual(['Gone 2']);
  expect(await list('--code', 'EVENTFERRY_REJECTED')).toEqual(['Gone 1', 'Gone 2']);
  expect(await list('--from', '2100-01-01T00:00:00Z')).toEqual([]);
});

test('journal show prints one message whole, or fails where there is none', async () => {
  const path = await newJournal();
  const [first] = recordsOf((await run(['journal', 'list', path, '--json', '--dead'])).out);
  const shown = await run(['journal', 'show', path, first.message.messageId]);
  expect(shown.code).toBe(0);
  expect(shown.out).toContain('"event": "Gone 1"');
  expect(shown.out).toContain('EVENTFERRY_REJECTED');
  expect(await run(['journal', 'show', path, 'none'])).toMatchObject({ code: 1 });
});

test('journal flush delivers what is left, and leaves no owner behind', async () => {
  const path = await newJournal();
  const collector = await sink();
  const { code, out, err } = await run(['journal', 'flush', path, '--endpoint', collector.url, '--write-key', 'k']);
  expect({ code, out, err }).toEqual({ code: 0, out: '2 messages delivered, 0 lost, 0 left\n', err: '' });
  expect(events(collector.messages)).toEqual(['Left 1', 'Left 2']);
  expect(readdirSync(join(path, 'owners'))).toEqual([]);
});

test('journal replay sends the dead letters that are meant, with their ids, and removes them', async () => {
  const path = await newJournal();
  const collector = await sink();
  const to = ['--endpoint', collector.url, '--write-key', 'k'];
  const { code, out } = await run(['journal', 'replay', path, '--event', 'Gone 1', ...to]);
  expect({ code, out }).toEqual({ code: 0, out: '1 dead letter replayed, 0 left\n' });
  expect(events(collector.messages)).toEqual(['Gone 1']);
  const rest = recordsOf((await run(['journal', 'list', path, '--json', '--dead'])).out);
  expect(rest.map(({ message }) => message.event)).toEqual(['Gone 2']);
});

test('journal drop removes dead letters and what dead processes have left, by user', async () => {
  const path = await newJournal();
  for (const user of ['Gone 1', 'Left 2']) expect((await run(['journal', 'drop', path, '--user', user])).code).toBe(0);
  const rest = recordsOf((await run(['journal', 'list', path, '--json'])).out);
  expect(rest.map(({ message }) => message.event)).toEqual(['Left 1', 'Gone 2']);
});

test('journal drop fails for messages that a living process owns, and says so', async () => {
  const path = temporaryFolder();
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  await analytics.track({ userId: 'u1', event: 'Mine' }).stored;
  const { code, err } = await run(['journal', 'drop', path, '--user', 'u1']);
  expect({ code, err }).toEqual({
    code: 1,
    err: 'journal: 1 message stays, as a living process owns it; end it first\n',
  });
});

test('journal replay and drop ask for a filter, and every command for a journal', async () => {
  const path = await newJournal();
  for (const command of ['replay', 'drop']) {
    expect((await run(['journal', command, path])).err).toContain('no filter; give');
  }
  expect((await run(['journal', 'stats', temporaryFolder()])).err).toContain('no journal at');
});

test('journal flush says how many messages a living process owns, and leaves them to it', async () => {
  const path = await newJournal();
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  // It has taken over the two that were left.
  await expect.poll(() => analytics.stats().recovered).toBe(2);
  await analytics.track({ userId: 'u1', event: 'Mine' }).stored;
  const collector = await sink();
  const { code, out, err } = await run(['journal', 'flush', path, '--endpoint', collector.url, '--write-key', 'k']);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '0 messages delivered, 0 lost, 0 left\n',
    err: 'journal: 3 more messages belong to a living process\n',
  });
  expect(collector.messages).toEqual([]);
});

test('journal flush fails for messages that it cannot deliver in time, and leaves them', async () => {
  const path = await newJournal();
  const to = ['--endpoint', 'http://127.0.0.1:1', '--write-key', 'k', '--timeout', '1'];
  const { code, out } = await run(['journal', 'flush', path, ...to]);
  expect({ code, out }).toEqual({ code: 1, out: '0 messages delivered, 0 lost, 2 left\n' });
  const { out: counted } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(counted)).toEqual([{ owned: 0, left: 2, dead: 2 }]);
});

test.each(['flush', 'replay'])('Ctrl-C ends journal %s with 130, and what is not delivered stays', async (command) => {
  const path = await newJournal();
  let onRequest = (): void => {};
  const asked = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const endpoint = await serve(() => onRequest());
  const filter = command === 'replay' ? ['--all'] : [];
  const { child, ended } = await start([
    'journal',
    command,
    path,
    '--endpoint',
    endpoint,
    '--write-key',
    'k',
    ...filter,
  ]);
  await asked;
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  const { out } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(out)).toEqual([{ owned: 0, left: 2, dead: 2 }]);
});

test('no journal command touches what a newer version has written', async () => {
  const path = await newJournal();
  const owners = join(path, 'owners');
  const file = join(owners, readdirSync(owners)[0] ?? '', 'segment-000001');
  const bytes = readFileSync(file);
  bytes.write('eventferry journal 2\n', 'latin1');
  writeFileSync(file, bytes);
  for (const args of [['list'], ['stats'], ['drop', '--all']]) {
    const [command = '', ...rest] = args;
    const { code, err } = await run(['journal', command, path, ...rest]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('was written by a newer version') });
  }
  expect(readFileSync(file)).toEqual(bytes);
});

test('the progress of a replay is a bar on a terminal', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true });
  showProgress(terminal, () => ({ delivered: 1_200, failed: 3, of: 2_000 }))();
  expect(printed.err).toContain('━');
  expect(printed.err).toContain('1,200 of 2,000 delivered, 3 failed');
});
