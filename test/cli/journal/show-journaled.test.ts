import { expect, test } from 'vitest';
import { client } from '../../support/client.js';
import { run, runProcess } from '../command.js';
import { newJournal, recordsOf } from './new-journal.js';

test('journal show prints one message in full, or fails if there is none', async () => {
  const path = await newJournal();
  const [first] = recordsOf((await run(['journal', 'list', path, '--json', '--dead'])).out);
  const shown = await run(['journal', 'show', path, first.message.messageId]);
  expect(shown.code).toBe(0);
  expect(shown.out).toContain('"event": "Gone 1"');
  expect(shown.out).toContain('EVENTFERRY_REJECTED');
  expect(await run(['journal', 'show', path, 'none'])).toMatchObject({ code: 1 });
  expect(await run(['journal', 'show', path, ' '])).toMatchObject({ code: 2, err: expect.stringContaining('got " "') });
});

test('journal show says who will send a waiting message', async () => {
  const path = await newJournal();
  expect((await runProcess(['journal', 'show', path, 'Left 1'])).out).toContain(
    'waiting, the next client with this journal sends it\n',
  );
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  await expect.poll(() => analytics.stats().recovered).toBe(2);
  expect((await runProcess(['journal', 'show', path, 'Left 1'])).out).toContain('waiting, a living process owns it\n');
});
