import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, memoryStorage, Service } from 'eventferry/service';

const config = {
  admin: { token: 'sixteen-characters-or-more' },
  listen: { port: 0 },
  sources: [{ name: 'app', writeKeys: ['k'], destinations: ['crm'] }],
  destinations: [{ name: 'crm', type: 'Webhooks', webhooks: [{ url: process.env.ENDPOINT }], allowLoopback: true }],
};

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-bundled-'));
  await writeFile(join(folder, 'eventferry.json'), JSON.stringify(config));
  const service = await Service.open(await loadConfig(join(folder, 'eventferry.json')), { storage: memoryStorage() });
  const { url } = await service.listen();
  const { status } = await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('k:')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'u1', event: 'Signed Up', messageId: 'm1' }),
  });
  const described = await fetch(`${url}/v1/openapi.json`);
  await service.close();
  await rm(folder, { recursive: true });
  console.log(JSON.stringify({ status, described: described.status, openapi: (await described.text()).slice(0, 200) }));
}

main();
