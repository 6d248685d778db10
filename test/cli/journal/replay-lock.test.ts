import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { dropJournaled } from '../../../src/cli/journal/drop.js';
import { whileAlone } from '../../../src/cli/journal/replay-lock.js';
import { runProcess } from '../command.js';
import { readableTerminal } from '../terminal.js';
import { events, newJournal, slowSink, WAIT } from './new-journal.js';

test('journal replay is refused while another replay runs, so that no dead letter is sent twice', async () => {
  const path = await newJournal();
  const { collector, answer } = await slowSink();
  const replay = ['journal', 'replay', path, '--all', '--endpoint', collector.url, '--write-key', 'k'];
  const first = runProcess(replay);
  await vi.waitFor(() => expect(collector.requests).toHaveLength(1), WAIT);
  const { code, err } = await runProcess(replay);
  expect(code).toBe(3);
  expect(err).toMatch(
    /^journal: process \d+ on .+ replays or drops the dead letters of .+; try again when it has ended \(EVENTFERRY_STORE_IN_USE\)\n$/,
  );
  answer();
  expect(await first).toMatchObject({ code: 0, out: '2 dead letters replayed, 0 left\n' });
  expect(events(collector.messages)).toEqual(['Gone 1', 'Gone 2']);
});

test('journal drop waits for a running replay and says so', async () => {
  const path = await newJournal();
  const { collector, answer } = await slowSink();
  const to = ['--endpoint', collector.url, '--write-key', 'k'];
  const replaying = runProcess(['journal', 'replay', path, '--event', 'Gone 1', ...to]);
  await vi.waitFor(() => expect(collector.requests).toHaveLength(1), WAIT);
  const { terminal, printed } = readableTerminal();
  const dropping = dropJournaled(path, { all: true }, terminal);
  await vi.waitFor(() => expect(printed.err).not.toBe(''), WAIT);
  expect(printed.err).toMatch(/^journal: waiting for process \d+ on .+, which replays or drops dead letters\n$/);
  answer();
  expect(await replaying).toMatchObject({ code: 0, out: '1 dead letter replayed, 0 left\n' });
  expect(await dropping).toBe(0);
  expect(printed.out).toBe('1 dead letter and 2 waiting messages dropped\n');
});

test('the socket of a running replay belongs to the owner of the journal, even if root replays', async () => {
  const path = await newJournal();
  const owner = process.geteuid?.() === 0 ? 4_321 : (process.geteuid?.() ?? 0);
  chownSync(path, owner, process.getegid?.() ?? 0);
  const letters = join(path, 'dead-letters');
  const socket = await whileAlone(path, async () =>
    lstatSync(join(letters, readdirSync(letters).find((name) => name.endsWith('.sock')) ?? '')),
  );
  expect(socket.uid).toBe(owner);
});
