import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { run, runProcess } from '../command.js';
import { events, newJournal, recordsOf } from './new-journal.js';

test('journal flush delivers the messages that were left, and leaves no folder of a client', async () => {
  const path = await newJournal();
  const collector = await sink();
  const { code, out, err } = await run(['journal', 'flush', path, '--endpoint', collector.url, '--write-key', 'key']);
  expect({ code, out, err }).toEqual({ code: 0, out: '2 messages delivered, 0 lost, 0 left\n', err: '' });
  expect(events(collector.messages)).toEqual(['Left 1', 'Left 2']);
  expect(readdirSync(join(path, 'owners'))).toEqual([]);
});

test('journal flush prints how many messages a living process owns, and leaves them to it', async () => {
  const path = await newJournal();
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  // The client has taken over the two messages that were left.
  await expect.poll(() => analytics.stats().recovered).toBe(2);
  await analytics.track({ userId: 'u1', event: 'Mine' }).stored;
  const collector = await sink();
  const { code, out, err } = await runProcess([
    'journal',
    'flush',
    path,
    '--endpoint',
    collector.url,
    '--write-key',
    'key',
  ]);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '0 messages delivered, 0 lost, 0 left\n',
    err: 'journal: 3 more messages belong to a living process\n',
  });
  expect(collector.messages).toEqual([]);
});

test('journal flush fails for messages that it cannot deliver in time, and leaves them', async () => {
  const path = await newJournal();
  const to = ['--endpoint', 'http://127.0.0.1:1', '--write-key', 'key', '--timeout', '1'];
  const { code, out, err } = await run(['journal', 'flush', path, ...to]);
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '0 messages delivered, 0 lost, 2 left\n',
    err: 'journal: connect ECONNREFUSED 127.0.0.1:1 (EVENTFERRY_CONNECTION)\njournal: the collector did not take the rest within 1 s; give a longer --timeout, or run the command again\n',
  });
  const { out: counted } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(counted)).toEqual([{ owned: 0, left: 2, dead: 2, damaged: 0 }]);
});

test('journal flush fails for messages that the collector refuses, and keeps them as dead letters', async () => {
  const path = await newJournal();
  const { url } = await sink(403);
  const { code, out, err } = await run(['journal', 'flush', path, '--endpoint', url, '--write-key', 'key', '--json']);
  expect({ code, counts: recordsOf(out), notes: recordsOf(err) }).toEqual({
    code: 1,
    counts: [{ delivered: 0, lost: 2, pending: 0, owned: 0, foreign: 0 }],
    notes: [{ code: 'EVENTFERRY_REJECTED', error: expect.stringContaining('status 403') }],
  });
  const { out: counted } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(counted)).toEqual([{ owned: 0, left: 0, dead: 4, damaged: 0 }]);
});

test('without --any-source, journal flush leaves messages of another source, says so, and fails', async () => {
  const path = await newJournal();
  const collector = await sink();
  const flush = ['journal', 'flush', path, '--endpoint', collector.url, '--write-key', 'other'];
  const { code, out, err } = await run(flush);
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '0 messages delivered, 0 lost, 0 left\n',
    err: 'journal: 2 messages were accepted with another write key, and stay; give --any-source to send them with this one\n',
  });
  expect(collector.messages).toEqual([]);
  expect((await run([...flush, '--any-source'])).code).toBe(0);
  expect(events(collector.messages)).toEqual(['Left 1', 'Left 2']);
});
