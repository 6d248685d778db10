import { expect, test } from 'vitest';
import { client } from '../../support/client.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { run } from '../command.js';
import { newJournal, recordsOf } from './new-journal.js';

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

test('journal drop by code removes dead letters alone, and nothing that waits', async () => {
  const path = await newJournal();
  const { code, out } = await run(['journal', 'drop', path, '--code', 'EVENTFERRY_REJECTED', '--json']);
  expect({ code, counts: recordsOf(out) }).toEqual({ code: 0, counts: [{ dead: 2, waiting: 0, owned: 0 }] });
  const { out: counted } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(counted)).toEqual([{ owned: 0, left: 2, dead: 0 }]);
});
