import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { letterOf } from '../../../src/client/journal/dead-letter-file.js';
import { deadIn } from '../../../src/client/journal/inspect-journal.js';
import { batchWith } from '../../client/journal/left-folder.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { run, runProcess } from '../command.js';
import { events, newJournal, recordsOf, slowSink, WAIT } from './new-journal.js';

test('journal replay sends the selected dead letters with their ids, and removes them', async () => {
  const path = await newJournal();
  const collector = await sink();
  const to = ['--endpoint', collector.url, '--write-key', 'k'];
  const { code, out } = await run(['journal', 'replay', path, '--event', 'Gone 1', ...to]);
  expect({ code, out }).toEqual({ code: 0, out: '1 dead letter replayed, 0 left\n' });
  expect(events(collector.messages)).toEqual(['Gone 1']);
  const rest = recordsOf((await run(['journal', 'list', path, '--json', '--dead'])).out);
  expect(rest.map(({ message }) => message.event)).toEqual(['Gone 2']);
});

test('journal replay fails for dead letters that the collector refuses again, and keeps each of them once', async () => {
  const path = await newJournal();
  const { url } = await sink(403);
  const to = ['--endpoint', url, '--write-key', 'k', '--json'];
  const { code, out, err } = await run(['journal', 'replay', path, '--all', ...to]);
  expect({ code, counts: recordsOf(out), notes: recordsOf(err) }).toEqual({
    code: 1,
    counts: [{ replayed: 0, left: 2 }],
    notes: [{ code: 'EVENTFERRY_REJECTED', error: expect.stringContaining('status 403') }],
  });
  const { out: counted } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(counted)).toEqual([{ owned: 0, left: 2, dead: 2, damaged: 0 }]);
});

test('journal replay sends nothing if no dead letter is selected', async () => {
  const path = await newJournal();
  const collector = await sink();
  const to = ['--endpoint', collector.url, '--write-key', 'k'];
  const { code, out } = await run(['journal', 'replay', path, '--code', 'EVENTFERRY_ABORTED', ...to]);
  expect({ code, out }).toEqual({ code: 0, out: '0 dead letters replayed, 0 left\n' });
  expect(collector.requests).toEqual([]);
});

test('journal replay does not send messages that a program forgets while an earlier file is sent', async () => {
  const path = await newJournal();
  // The two files become two rounds.
  const [name = ''] = readdirSync(join(path, 'dead-letters'));
  const [one = '', two = ''] = [...deadIn(path)].map((letter) => letterOf(letter, JSON.stringify(letter.message)));
  writeFileSync(join(path, 'dead-letters', 'a-000001.batch'), batchWith(...Array<string>(1_000).fill(one)));
  writeFileSync(join(path, 'dead-letters', 'a-000002.batch'), batchWith(two));
  rmSync(join(path, 'dead-letters', name));
  const { collector, answer } = await slowSink();
  const replaying = runProcess(['journal', 'replay', path, '--all', '--endpoint', collector.url, '--write-key', 'k']);
  await vi.waitFor(() => expect(collector.requests).toHaveLength(1), WAIT);
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  expect(await analytics.forget({ userId: 'Gone 2' })).toMatchObject({ dead: 1 });
  answer();
  expect(await replaying).toMatchObject({ code: 0, out: '1,000 dead letters replayed, 0 left\n' });
  expect(new Set(events(collector.messages))).toEqual(new Set(['Gone 1']));
});

/** Starts to replay dead letters of two files in one round, and returns when they wait for the collector. */
async function replayTwoFiles() {
  const path = await newJournal();
  const folder = join(path, 'dead-letters');
  const letters = [...deadIn(path)].map((letter) => letterOf(letter, JSON.stringify(letter.message)));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const files = letters.map((letter, index) => {
    const file = join(folder, `a-00000${index}.batch`);
    writeFileSync(file, batchWith(letter));
    return file;
  });
  const { collector, answer } = await slowSink();
  const replaying = runProcess(['journal', 'replay', path, '--all', '--endpoint', collector.url, '--write-key', 'k']);
  await vi.waitFor(() => expect(collector.requests).toHaveLength(1), WAIT);
  return { path, files, replaying, answer };
}

test('journal replay goes on if a client removes a file of dead letters while they are sent', async () => {
  const { path, files, replaying, answer } = await replayTwoFiles();
  rmSync(files[0] ?? '');
  answer();
  expect(await replaying).toMatchObject({ code: 0, out: '2 dead letters replayed, 0 left\n', err: '' });
  expect([...deadIn(path)]).toEqual([]);
});

test('journal replay prints its counts and ends after a failure of the disk', async () => {
  const { files, replaying, answer } = await replayTwoFiles();
  rmSync(files[1] ?? '');
  mkdirSync(files[1] ?? '');
  answer();
  const { code, signal, out, err } = await replaying;
  expect({ code, signal, out }).toEqual({ code: 3, signal: null, out: '2 dead letters replayed, 0 left\n' });
  expect(err).toContain('is a link or something else that the journal did not make');
});

test('journal replay gives up after --timeout if the collector does not answer', async () => {
  const path = await newJournal();
  const began = Date.now();
  const to = ['--endpoint', 'http://127.0.0.1:9', '--write-key', 'k', '--timeout', '0.2'];
  const { code, out } = await run(['journal', 'replay', path, '--all', ...to]);
  expect({ code, out }).toEqual({ code: 1, out: '0 dead letters replayed, 2 left\n' });
  expect(Date.now() - began).toBeLessThan(10_000);
});
