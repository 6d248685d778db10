import { expect, test } from 'vitest';
import { serveAudiences } from '../../service/audiences/serve.js';
import { run } from '../command.js';
import { newFile } from '../files.js';

const token = 'the-admin-token';
const env = { EVENTFERRY_ADMIN_TOKEN: token };

test('trait sync prints the changes, and trait list and trait show print the trait', async () => {
  const { url, taken } = await serveAudiences({}, token);
  const file = await newFile('Lifetime Value.csv', 'who,ltv\nann,120.5\nbob,80\n');
  const sync = ['trait', 'sync', file, '--column', 'who', '--value', 'ltv:number', '--url', url];
  const line = 'Lifetime Value  2 added, 0 changed, 0 removed, 2 users, trait lifetime_value\n';
  expect(await run(sync, env)).toEqual({ code: 0, signal: null, out: line, err: '' });
  expect(taken.messages.map(({ userId, traits }) => [userId, traits])).toEqual([
    ['ann', { lifetime_value: 120.5 }],
    ['bob', { lifetime_value: 80 }],
  ]);
  const shown = 'Lifetime Value  lifetime_value  2 users  synced 2026-11-20T12:00:00.000Z\n';
  expect(await run(['trait', 'show', 'Lifetime Value', '--url', url], env)).toMatchObject({ code: 0, out: shown });
  expect(await run(['trait', 'list', '--url', url], env)).toMatchObject({ out: shown, err: '1 computed trait\n' });
});

test('trait fails with one line of advice', async () => {
  const { url } = await serveAudiences({}, token);
  const file = await newFile('Score.csv', 'who,ltv\nann,1\n');
  const missing = await run(['trait', 'sync', file, '--column', 'who', '--url', url], env);
  expect(missing).toMatchObject({ code: 3, out: '' });
  expect(missing.err).toMatch(
    /^trait: .*Score\.csv: there is no column "value"; give --value NAME, one of who, ltv \(EVENTFERRY_CLI_UNUSABLE\)\n$/,
  );
  expect(await run(['trait', 'show', 'Nobody', '--url', url], env)).toMatchObject({
    ...{ code: 1, err: 'trait: There is no trait "Nobody" (EVENTFERRY_ADMIN_NOT_FOUND)\n' },
  });
});
