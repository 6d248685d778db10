import { expect, test, vi } from 'vitest';
import { createReceiver, type ReceiverOptions, toWebHandler } from '../../src/webhooks/index.js';
import { sampleDeliveries, sampleDelivery, sampleEvents } from '../../src/webhooks/testing/index.js';

const secret = 'shhh';
const url = 'https://example.com/webhooks';
const track = sampleDelivery('track', { secret });

function setUp(options: Partial<ReceiverOptions> = {}) {
  const events: unknown[] = [];
  const errors: unknown[] = [];
  const receiver = createReceiver({
    secrets: secret,
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { handle: toWebHandler(receiver), events, errors };
}

/** Makes a request whose body arrives as `pull` provides it. */
const streamed = (pull: (controller: ReadableStreamDefaultController) => void, cancel = (): void => {}): Request =>
  new Request(url, { ...track, body: new ReadableStream({ pull, cancel }), duplex: 'half' } as RequestInit);

test('toWebHandler accepts a delivery of each type', async () => {
  const { handle, events } = setUp();
  for (const delivery of sampleDeliveries({ secret })) {
    const response = await handle(new Request(url, delivery));
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
  }
  expect(events).toEqual(Object.values(sampleEvents));
});

test('toWebHandler accepts a body of the largest size that arrives byte by byte', async () => {
  const bytes = [...new TextEncoder().encode(track.body)];
  const request = streamed((controller) => {
    const byte = bytes.shift();
    if (byte === undefined) controller.close();
    else controller.enqueue(Uint8Array.of(byte));
  });
  expect((await setUp({ maxBytes: track.body.length }).handle(request)).status).toBe(200);
});

test('toWebHandler answers a request without a body like one with a wrong signature', async () => {
  const { body: _, ...request } = track;
  expect((await setUp().handle(new Request(url, request))).status).toBe(401);
});

test('toWebHandler refuses a body that is too large at once when the request is a clone, whose other half nobody reads', async () => {
  const { body: _, ...request } = track;
  const whole = new Request(url, {
    ...request,
    method: 'POST',
    body: new Blob(['x'.repeat(9_000)]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect((await setUp({ maxBytes: 2_000, bodyTimeout: 2_000 }).handle(whole.clone())).status).toBe(413);
});

test('toWebHandler reads no more than the limit and cancels the rest', async () => {
  const cancel = vi.fn();
  let sent = 0;
  const request = streamed((controller) => {
    sent += 1000;
    controller.enqueue(new Uint8Array(1000));
  }, cancel);
  expect((await setUp({ maxBytes: 2000 }).handle(request)).status).toBe(413);
  expect(cancel).toHaveBeenCalledOnce();
  expect(sent).toBeLessThan(6000);
});

test('toWebHandler refuses a body that breaks off', async () => {
  const request = streamed((controller) => controller.error(new Error('reset')));
  const { handle, events } = setUp();
  expect((await handle(request)).status).toBe(400);
  expect(events).toEqual([]);
});

test('toWebHandler cancels a body that does not arrive in time, and answers 408', async () => {
  const cancel = vi.fn();
  expect((await setUp({ bodyTimeout: 5 }).handle(streamed(() => {}, cancel))).status).toBe(408);
  expect(cancel).toHaveBeenCalledOnce();
});

test.each([
  ['was read', (request: Request) => request.text()],
  ['is being read by someone else', async (request: Request) => void request.body?.getReader()],
])('toWebHandler answers 500 with advice at once if the body %s', async (_, take) => {
  const { handle, errors } = setUp();
  const request = new Request(url, track);
  await take(request);
  const response = await handle(request);
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('request.clone()')]);
  expect(errors).toMatchObject([{ code: 'EVENTFERRY_WEBHOOKS_BODY_CONSUMED' }]);
});

test('toWebHandler passes a handler that is still working to the waitUntil of the runtime', async () => {
  let finish = (): void => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const waitUntil = vi.fn();
  const { handle } = setUp({ onEvent: () => work, respondAfter: 5 });
  expect((await handle(new Request(url, track), { waitUntil })).status).toBe(202);
  const [settled] = waitUntil.mock.calls[0] ?? [];
  expect(await Promise.race([settled, 'at work'])).toBe('at work');
  finish();
  expect(await settled).toBeUndefined();
});

test.each([undefined, null, {}, { params: {} }, 'context'])(
  'toWebHandler works with the context %j, which has no waitUntil',
  async (context) => {
    expect((await setUp().handle(new Request(url, track), context)).status).toBe(200);
  },
);
