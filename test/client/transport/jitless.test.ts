import { expect, test } from 'vitest';
import { run } from '../../support/script.js';
import { sink } from '../../support/sink.js';

const WITHOUT_WEBASSEMBLY = { NODE_OPTIONS: '--jitless' };

test('a process without WebAssembly also delivers the requests that would otherwise use undici', async () => {
  const collector = await sink();
  const { code, stdout, stderr } = await run(
    `import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', flushAt: 1 });
    for (let i = 0; i < 20; i++) await analytics.track({ userId: 'u1', event: 'Signed Up' }).delivered;
    const { delivered, retries } = await analytics.close();
    console.log(typeof WebAssembly, delivered, retries);`,
    WITHOUT_WEBASSEMBLY,
  ).ended;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: 'undefined 20 0\n' });
  expect(stderr).not.toContain('EventferryWarning');
});

test('in a process without WebAssembly a destination does not open, and the error says why', async () => {
  const { code, stdout } = await run(
    `import { Destination } from 'eventferry/destination';
    const error = await Destination.open({ webhooks: [{ url: 'https://example.com/' }] }).catch((error) => error);
    console.log(error.code, error.message);`,
    WITHOUT_WEBASSEMBLY,
  ).ended;
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      'EVENTFERRY_LOAD_FAILED Cannot load undici, which sending needs: this process has no WebAssembly. Start Node without `--jitless`\n',
  });
});

// Later versions of Node end such a process if it only mentions the global `Request`.
const IS_NODE_20 = process.versions.node.startsWith('20.');

test.runIf(IS_NODE_20).each(['collector', 'service'])(
  'in a process without WebAssembly eventferry/%s cannot be imported, and the error says why',
  async (door) => {
    const { code, stdout, stderr } = await run(
      `const error = await import('eventferry/${door}').catch((error) => error);
    setTimeout(() => console.log(error.code, error.message), 50);`,
      WITHOUT_WEBASSEMBLY,
    ).ended;
    expect({ code, stdout }, stderr).toEqual({
      code: 0,
      stdout:
        'EVENTFERRY_LOAD_FAILED Cannot load undici, which the collector needs: this process has no WebAssembly. Start Node without `--jitless`\n',
    });
  },
);

test.runIf(IS_NODE_20)('a receiver of webhooks accepts deliveries in a process without WebAssembly', async () => {
  const { code, stdout, stderr } = await run(
    `import { createServer, request } from 'node:http';
    import { createReceiver, toNodeHandler } from 'eventferry/webhooks';
    import { sampleDelivery } from 'eventferry/webhooks/testing';
    const receiver = createReceiver({ secrets: 'shhh', onEvent: ({ type }) => console.log(type) });
    const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1', () => {
      const { body, ...delivery } = sampleDelivery('track', { secret: 'shhh' });
      const sent = request({ ...delivery, port: server.address().port }, ({ statusCode }) => {
        console.log(statusCode);
        server.close();
      });
      sent.end(body);
    });`,
    WITHOUT_WEBASSEMBLY,
  ).ended;
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'track\n200\n' });
});
