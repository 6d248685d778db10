import { expect, test } from 'vitest';
import { client } from '../../support/client.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { run, runProcess } from '../command.js';
import { newJournal, recordsOf } from './new-journal.js';

test('journal list prints waiting messages and dead letters, and accepts filters', async () => {
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

test('journal list prints a line for each message, and counts them on standard error', async () => {
  const path = await newJournal();
  const { out, err } = await run(['journal', 'list', path]);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^2026-11-20T12:00:00\.000Z {2}track {2}Left 1 {2}Left 1 {2}Left 1 {2}waiting$/);
  expect(lines[2]).toMatch(
    / {2}track {2}Gone 1 .* {2}dead since 2026-11-20T12:00:00\.000Z: .*403.* \(EVENTFERRY_REJECTED\)$/,
  );
  expect(err).toBe('2 waiting, 2 dead\n');
});

test('journal list marks messages that a living process owns', async () => {
  const path = temporaryFolder();
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  await analytics.track({ userId: 'u1', event: 'Mine' }).stored;
  expect((await runProcess(['journal', 'list', path])).out).toContain('waiting, a living process owns it\n');
});

test('journal list refuses an empty value for a filter, because the result would look like an empty journal', async () => {
  const path = await newJournal();
  const err = expect.stringContaining('--user: expected a value, got ""');
  expect(await run(['journal', 'list', path, '--user', ''])).toMatchObject({ code: 2, out: '', err });
});
