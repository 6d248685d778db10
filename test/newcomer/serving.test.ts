import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { freshFolder } from './fresh-folder.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/service.md'), 'utf8');
const firstConfiguration = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '';

test('the first configuration of the page about the service, pasted into a fresh folder, delivers an event', async () => {
  const [port, webhookPort] = [String(await freePort()), String(await freePort())];
  const configuration = firstConfiguration.replace(':4200/', `:${webhookPort}/`);
  const { bin } = await freshFolder({ 'eventferry.yaml': configuration }, ['lmdb@3']);
  expect(await bin('eventferry', ['check-config', 'eventferry.yaml']).ended).toMatchObject({ code: 0, stderr: '' });
  const receiver = bin('eventferry', ['listen', '--port', webhookPort, '--secret', 'change-me-too']);
  const service = bin('eventferry', ['serve', 'eventferry.yaml', '--port', port]);
  await service.printed('the service listens');
  const collector = ['--endpoint', `http://127.0.0.1:${port}`, '--write-key', 'dev'];
  const sent = bin('eventferry', ['send', 'track', ...collector, '--user', 'u1', '--event', 'Signed Up']);
  expect(await sent.ended).toMatchObject({ code: 0 });
  await receiver.printed('Signed Up');
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});

describe('a service inside a program', () => {
  const program = `
import { Service, loadConfig } from 'eventferry/service';
const service = await Service.open(await loadConfig('eventferry.yaml'));
const { url } = await service.listen({ host: '127.0.0.1', port: 0 });
const authorization = 'Basic ' + btoa('dev:');
const body = JSON.stringify({ batch: [{ type: 'track', event: 'Signed Up', userId: 'u1', messageId: 'm1' }] });
const { status } = await fetch(url + '/v1/batch', { method: 'POST', headers: { authorization }, body });
console.log(status);
await service.close();
`;
  const files = { 'eventferry.yaml': firstConfiguration, 'index.mjs': program };

  test('a service inside a program collects messages, and lets the program end', async () => {
    const { node } = await freshFolder(files, ['lmdb@3']);
    expect(await node(['index.mjs']).ended).toMatchObject({ code: 0, stdout: '200\n', stderr: '' });
  });

  test('a service inside a program explains what to install if lmdb is missing', async () => {
    const { node } = await freshFolder(files);
    const { code, stderr } = await node(['index.mjs']).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('LmdbMissingError: The lmdb store needs the package lmdb: npm install lmdb@3');
  });
});
