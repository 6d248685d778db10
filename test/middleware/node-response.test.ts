import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { setCookie } from '../../src/middleware/node-response.js';

/** Returns the cookies of a response that `act` sends after a cookie was set. */
async function cookiesOf(act: (response: ServerResponse) => void, before?: (response: ServerResponse) => void) {
  const server = createServer((_, response) => {
    before?.(response);
    setCookie(response, 'aid=a1');
    act(response);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { headers, status, statusText } = await fetch(`http://127.0.0.1:${port}/`);
  return { cookies: headers.getSetCookie(), other: headers.get('x-other'), status: `${status} ${statusText}` };
}

test.each<[string, (response: ServerResponse) => void]>([
  ['an object', (response) => response.writeHead(201, { 'set-cookie': ['b=2', 'c=3'], 'x-other': 'o' }).end()],
  [
    'a reason phrase and an object',
    (response) => response.writeHead(201, 'Created', { 'Set-Cookie': ['b=2', 'c=3'], 'x-other': 'o' }).end(),
  ],
  [
    'alternating names and values',
    (response) => response.writeHead(201, ['Set-Cookie', 'b=2', 'Set-Cookie', 'c=3', 'x-other', 'o']).end(),
  ],
  [
    'nothing, because they were set before',
    (response) => {
      response.statusCode = 201;
      response.setHeader('Set-Cookie', ['b=2', 'c=3']);
      response.setHeader('x-other', 'o');
      response.end();
    },
  ],
])('the cookie is added to headers that are written as %s', async (_, act) => {
  const { cookies, other, status } = await cookiesOf(act);
  expect({ cookies, other, status }).toEqual({ cookies: ['b=2', 'c=3', 'aid=a1'], other: 'o', status: '201 Created' });
});

test('a public response does not set a cookie', async () => {
  expect((await cookiesOf((response) => response.writeHead(200, { 'Cache-Control': 'public' }).end())).cookies).toEqual(
    [],
  );
});

test('a response whose headers were already sent is not changed', async () => {
  const { cookies } = await cookiesOf(
    (response) => response.end('rest'),
    (response) => response.writeHead(200).write('some'),
  );
  expect(cookies).toEqual([]);
});
