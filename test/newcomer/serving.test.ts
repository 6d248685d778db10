import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  const service = bin('eventferry', ['serve', '--config', 'eventferry.yaml', '--port', port]);
  await service.printed('the service listens');
  const collector = ['--endpoint', `http://127.0.0.1:${port}`, '--write-key', 'dev'];
  const sent = bin('eventferry', ['send', 'track', ...collector, '--user', 'u1', '--event', 'Signed Up']);
  expect(await sent.ended).toMatchObject({ code: 0 });
  await receiver.printed('Signed Up');
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});
