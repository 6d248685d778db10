import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { sendBatch, track } from '../../service/support.js';
import { runProcess } from '../command.js';
import { newFile } from '../files.js';
import { configText, serving, startServing } from '../serving.js';

const isWaiting = ({ msg }: Record<string, unknown>): boolean => String(msg).includes('has the folder');

test('serve waits for the process that holds its folder, reports that, and takes over its events when it is killed', async () => {
  const crm = await startEndpoint(503, 200);
  const file = await newFile('eventferry.json', configText(crm.url));
  const first = await serving(file);
  expect((await sendBatch(first.url, track('m1'))).status).toBe(200);
  await crm.has(1);
  const second = await startServing(file);
  const folder = join(dirname(file), 'data');
  expect(await second.line(isWaiting)).toMatchObject({
    level: 'warn',
    msg: `process ${first.child.pid} on ${hostname()} has the folder ${folder} open; the storage waits for up to 20 s until that is over`,
  });
  expect(second.lines).toHaveLength(1);
  first.child.kill('SIGKILL');
  expect((await sendBatch(await second.listening, track('m1'), track('m2'))).status).toBe(200);
  await crm.has(3);
  expect(crm.received.map(({ body }) => JSON.parse(body.toString()).messageId).sort()).toEqual(['m1', 'm1', 'm2']);
});

test('serve ends at SIGTERM while it waits for a folder, without having served anything', async () => {
  const file = await newFile('eventferry.json', configText('http://127.0.0.1:9/'));
  await serving(file);
  const second = await startServing(file);
  await second.line(isWaiting);
  second.child.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0, signal: null });
  expect(second.lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('waits'), 'the service has ended']);
});

test('serve fails if another process still holds its folder after lockTimeout, and gives advice', async () => {
  const store = { type: 'lmdb', path: 'data', lockTimeout: 0 };
  const file = await newFile('eventferry.json', configText('http://127.0.0.1:9/', { store }));
  const first = await serving(file);
  const { code, err } = await runProcess(['serve', file]);
  expect({ code, err }).toEqual({
    code: 3,
    err: `serve: store.path: The store in ${join(dirname(file), 'data')} is in use by process ${first.child.pid} on ${hostname()}. Stop that process, wait longer for it with \`lockTimeout\`, or use another folder; several processes of a service need Redis (EVENTFERRY_STORE_IN_USE)\n`,
  });
});
