import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { configOf, serving } from './support.js';

/** Sends on connections that are kept open, as most clients do. */
function keepingAlive(url: string): () => Promise<IncomingMessage> {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return async () => {
    const sent = request(`${url}/v1/batch`, { method: 'POST', agent, auth: 'dev:' }).end('{"batch":[]}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return response;
  };
}

test('a request that is on its way when the service ends is answered, and asked to connect anew', async () => {
  const { url, service } = await serving(configOf());
  const send = keepingAlive(url);
  await send();
  const [answer] = await Promise.all([send(), service.close()]);
  expect(answer).toMatchObject({ statusCode: 503, headers: { connection: 'close' } });
});
