import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { httpErrors } from '../../src/collector/http-error.js';
import { answer, refuse, send as sendAnswer } from '../../src/collector/responses.js';
import { send } from './support.js';

/** A server that responds by `act`, before any of the body is read. */
async function answering(act: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<string> {
  const server = createServer(act);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const ask = (url: string, headers: Record<string, string> = {}, body = '{}') => send(url, '/', { headers, body });

test('a response is JSON with its length in bytes', async () => {
  const url = await answering((incoming, outgoing) => answer(incoming, outgoing, 200, '{"a":"€"}'));
  const { status, text, headers } = await ask(url);
  expect([status, text, headers['content-type'], headers['content-length']]).toEqual([
    200,
    '{"a":"€"}',
    'application/json',
    '11',
  ]);
});

test('a response without content has no Content-Length', async () => {
  const url = await answering((incoming, outgoing) => sendAnswer(incoming, outgoing, 204, '', { Allow: 'GET' }));
  const { status, headers } = await ask(url);
  expect([status, headers['allow'], headers['content-length']]).toEqual([204, 'GET', undefined]);
});

test('a refusal has its code, its message and its headers', async () => {
  const url = await answering((incoming, outgoing) => refuse(incoming, outgoing, httpErrors.tooBusy()));
  const { status, body, headers } = await ask(url);
  expect([status, headers['retry-after'], headers['connection']]).toEqual([429, '1', 'keep-alive']);
  expect(body).toEqual({ code: 'too_busy', message: 'Too many bytes are in flight' });
});

test('a page of any origin may read the response, and without an Origin there is no such header', async () => {
  const url = await answering((incoming, outgoing) => answer(incoming, outgoing, 200, '{}'));
  expect((await ask(url, { origin: 'https://shop.example' })).headers['access-control-allow-origin']).toBe('*');
  expect((await ask(url)).headers['access-control-allow-origin']).toBeUndefined();
});

test.each<[string, () => Parameters<typeof refuse>[2], string, string]>([
  ['a short body', httpErrors.unknownWriteKey, '{}', 'keep-alive'],
  ['a body of more than 4 MiB', httpErrors.unknownWriteKey, 'x'.repeat(4 * 1024 * 1024 + 1), 'close'],
  ['a body that arrived too late', httpErrors.bodyTimeout, '{}', 'close'],
])(
  'after a refusal without reading %s, the connection is kept or closed as appropriate',
  async (_, error, body, connection) => {
    const url = await answering((incoming, outgoing) => refuse(incoming, outgoing, error()));
    expect((await ask(url, {}, body)).headers['connection']).toBe(connection);
  },
);

test('a request that was already answered is not answered a second time', async () => {
  const thrown: unknown[] = [];
  const url = await answering((incoming, outgoing) => {
    answer(incoming, outgoing, 200, '{}');
    try {
      refuse(incoming, outgoing, httpErrors.tooBusy());
    } catch (error) {
      thrown.push(error);
    }
  });
  expect((await ask(url)).status).toBe(200);
  expect(thrown).toEqual([]);
});
