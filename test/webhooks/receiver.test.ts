import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createReceiver,
  type FailureContext,
  type IncomingRequest,
  type ReceiverOptions,
  type RefusedError,
  standardHeaders,
  type WebhookEvent,
} from '../../src/webhooks/index.js';
import {
  type SampleDelivery,
  sampleDeliveries,
  sampleDelivery,
  sampleEvents,
} from '../../src/webhooks/testing/index.js';

const secret = 'shhh';
const track = sampleDelivery('track', { secret });

/** A receiver that notes what reaches each of its functions. */
function setUp(options: Partial<ReceiverOptions> = {}) {
  const events: unknown[] = [];
  const failures: [unknown, FailureContext][] = [];
  const refusals: RefusedError[] = [];
  const receiver = createReceiver({
    secrets: secret,
    onEvent: (event) => events.push(event),
    onError: (error, context) => failures.push([error, context]),
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  });
  const receive = async (request: IncomingRequest = track) => (await receiver.receive(request)).answer;
  return { receiver, receive, events, failures, refusals };
}

/** A promise and what settles it. */
function gate() {
  let open = (): void => {};
  let fail = (_: Error): void => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open: () => open(), fail: (error: Error) => fail(error) };
}

const withHeaders = (headers: Record<string, string>, delivery = track): SampleDelivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});

describe('a signed delivery', () => {
  test('of each of the seven types is handed on and answered 200', async () => {
    const { receive, events } = setUp();
    for (const delivery of sampleDeliveries({ secret })) expect((await receive(delivery)).status).toBe(200);
    expect(events).toEqual(Object.values(sampleEvents));
  });

  test('comes with its bytes and its headers', async () => {
    const onEvent = vi.fn();
    const { receive } = setUp({ onEvent });
    await receive(withHeaders({ 'x-tenant': 'a' }));
    const [, delivery] = onEvent.mock.calls[0] ?? [];
    expect(new TextDecoder().decode(delivery.body)).toBe(track.body);
    expect([delivery.header('x-tenant'), delivery.header('x-none')]).toEqual(['a', undefined]);
  });

  test('is taken under each of several secrets', async () => {
    const { receive } = setUp({ secrets: ['new', secret] });
    expect((await receive()).status).toBe(200);
  });

  test('of an unknown type goes to onUnknown', async () => {
    const onUnknown = vi.fn();
    const { receive, events } = setUp({ onUnknown });
    const delivery = sampleDelivery('track', { secret, fields: { type: 'survey' } });
    expect((await receive(delivery)).status).toBe(200);
    expect(onUnknown.mock.calls[0]?.[0]).toEqual({ ...sampleEvents.track, type: 'survey' });
    expect(events).toEqual([]);
  });

  test('of an unknown type is answered 200 where there is no onUnknown', async () => {
    const delivery = sampleDelivery('track', { secret, fields: { type: 'survey' } });
    expect((await setUp().receive(delivery)).status).toBe(200);
  });

  test('with a wrong field is answered 400 with the reason', async () => {
    const { receive, refusals, events } = setUp();
    const answer = await receive(sampleDelivery('track', { secret, fields: { event: 7 } }));
    expect(answer).toMatchObject({ status: 400, body: 'track.event: expected a non-empty string, got number 7\n' });
    expect(refusals[0]).toMatchObject({
      status: 400,
      code: 'EVENTFERRY_WEBHOOKS_REFUSED',
      cause: { name: 'ValidationError' },
    });
    expect(events).toEqual([]);
  });
});

describe('a signature', () => {
  const unsigned = sampleDelivery('track');
  const foreign = sampleDelivery('track', { secret: 'another' });

  test('that is missing and one that is wrong look the same from outside', async () => {
    const { receive, events } = setUp();
    const missing = await receive(unsigned);
    expect(missing.status).toBe(401);
    expect(await receive(foreign)).toEqual(missing);
    expect(events).toEqual([]);
  });

  test('that is missing and one that is wrong are told apart in onRefused', async () => {
    const { receive, refusals } = setUp();
    await receive(unsigned);
    await receive(foreign);
    expect(refusals.map(({ message }) => message)).toEqual([
      'No x-signature header',
      'The x-signature header is of other bytes or another secret',
    ]);
  });

  test('is checked before the body is read as JSON', async () => {
    expect((await setUp().receive({ ...track, body: '{' })).status).toBe(401);
  });

  test('is not asked for when deliveries are unsigned', async () => {
    const { receive, events } = setUp({ secrets: undefined, unsigned: true });
    expect((await receive(unsigned)).status).toBe(200);
    expect(events).toHaveLength(1);
  });
});

describe('the Standard Webhooks headers', () => {
  const nowSeconds = 1_800_000_000;
  const standard = sampleDelivery('track', { secret, standardHeaders: true, timestampSeconds: nowSeconds });
  const { 'x-signature': _, ...withoutSignature } = standard.headers;
  const { 'webhook-signature': __, ...withoutStandard } = standard.headers;
  const late = () => (nowSeconds + 301) * 1000;

  test.each([
    ['x-signature', 'both', standard.headers, 200],
    ['x-signature', 'the standard ones alone', withoutSignature, 401],
    ['standard', 'both', standard.headers, 200],
    ['standard', 'the standard ones alone', withoutSignature, 200],
    ['standard', 'X-Signature alone', withoutStandard, 401],
    ['either', 'the standard ones alone', withoutSignature, 200],
    ['either', 'X-Signature alone', withoutStandard, 200],
    ['either', 'none', {}, 401],
  ] as const)('where %s is accepted, with %s: %j → %i', async (accept, _, headers, status) => {
    const { receive } = setUp({ accept, now: () => nowSeconds * 1000 });
    const answer = await receive({ ...standard, headers: { 'content-type': 'application/json', ...headers } });
    expect(answer.status).toBe(status);
  });

  test('stop a replay once the tolerance has passed', async () => {
    const { receive } = setUp({ accept: 'standard', now: late });
    expect((await receive(standard)).status).toBe(401);
  });

  test('stop no replay where either signature is accepted', async () => {
    const { receive } = setUp({ accept: 'either', now: late });
    expect((await receive(standard)).status).toBe(200);
  });

  test('are taken within the tolerance that was set', async () => {
    const { receive } = setUp({ accept: 'standard', now: late, tolerance: 301_000 });
    expect((await receive(standard)).status).toBe(200);
  });
});

describe('a request that is no delivery', () => {
  test.each([
    ['a GET', { ...track, method: 'GET' }, 405, { allow: 'POST' }],
    [
      'a form',
      withHeaders({ 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      { accept: 'application/json' },
    ],
    ['text that a browser may post anywhere', withHeaders({ 'content-type': 'text/plain' }), 415, {}],
    ['a compressed body', withHeaders({ 'content-encoding': 'gzip' }), 415, { 'accept-encoding': 'identity' }],
    ['a Content-Length above the limit', withHeaders({ 'content-length': '65537' }), 413, {}],
  ])('such as %s is refused before its body is read', async (_, request, status, headers) => {
    const body = vi.fn();
    const { receiver, refusals } = setUp();
    const { answer } = await receiver.receive({ ...request, body });
    expect(answer).toMatchObject({ status, headers });
    expect(body).not.toHaveBeenCalled();
    expect(refusals[0]?.status).toBe(status);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('takes %s', async (type) => {
    expect((await setUp().receive(withHeaders({ 'content-type': type, 'content-encoding': 'identity' }))).status).toBe(
      200,
    );
  });

  test('a body of 65536 bytes is taken and one byte more is not', async () => {
    const { receive } = setUp();
    const empty = sampleDelivery('track', { fields: { pad: '' } }).body.length;
    const sized = (bytes: number) => sampleDelivery('track', { secret, fields: { pad: 'x'.repeat(bytes - empty) } });
    expect((await receive(sized(65_536))).status).toBe(200);
    expect((await receive(sized(65_537))).status).toBe(413);
  });

  test('a body is held to the limit whatever reads it', async () => {
    const body = async () => new Uint8Array(65_537);
    expect((await setUp().receive({ ...track, body })).status).toBe(413);
  });

  test('a parsed object instead of bytes is answered 500 with the cure, and reported', async () => {
    const { receiver, failures } = setUp();
    const { answer } = await receiver.receive({ ...track, body: JSON.parse(track.body) });
    expect(answer).toMatchObject({ status: 500, body: expect.stringContaining('express.raw(') });
    expect(failures[0]?.[0]).toMatchObject({ code: 'EVENTFERRY_WEBHOOKS_RAW_BODY' });
  });
});

describe('a handler', () => {
  test('that throws is answered 500 without the reason, which goes to onError', async () => {
    const error = new Error('the database is away');
    const { receive, failures } = setUp({
      onEvent: () => {
        throw error;
      },
    });
    expect(await receive()).toMatchObject({ status: 500, body: 'The handler failed\n' });
    expect(failures).toEqual([[error, { event: sampleEvents.track, answered: false }]]);
  });

  test('that rejects is answered 500', async () => {
    expect((await setUp({ onEvent: () => Promise.reject(new Error('no')) }).receive()).status).toBe(500);
  });

  test('of unknown types that throws is answered 500', async () => {
    const { receive } = setUp({ onUnknown: () => Promise.reject(new Error('no')) });
    expect((await receive(sampleDelivery('track', { secret, fields: { type: 'survey' } }))).status).toBe(500);
  });

  test.each([
    ['throws', () => JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('keeps its answer when onError and onRefused %s', async (_, hook) => {
    const { receive } = setUp({ onEvent: () => JSON.parse('{'), onError: hook, onRefused: hook });
    expect((await receive()).status).toBe(500);
    expect((await receive(sampleDelivery('track'))).status).toBe(401);
  });

  test('that fails is printed where there is no onError', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const error = new Error('the database is away');
    await setUp({ onEvent: () => Promise.reject(error), onError: undefined }).receive();
    expect(print.mock.calls).toEqual([[error]]);
    print.mockRestore();
  });
});

describe('a slow handler', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is answered for with 202 after four seconds, and goes on', async () => {
    const work = gate();
    const { receiver } = setUp({ onEvent: () => work.passed });
    const reception = receiver.receive(track);
    await vi.advanceTimersByTimeAsync(3999);
    expect(await Promise.race([reception, 'none yet'])).toBe('none yet');
    await vi.advanceTimersByTimeAsync(1);
    const { answer, settled } = await reception;
    expect(answer.status).toBe(202);
    expect(await Promise.race([settled, 'at work'])).toBe('at work');
    work.open();
    await expect(settled).resolves.toBeUndefined();
  });

  test('that fails after its answer is reported to onError', async () => {
    const work = gate();
    const error = new Error('too late');
    const { receiver, failures } = setUp({ onEvent: () => work.passed });
    const reception = receiver.receive(track);
    await vi.advanceTimersByTimeAsync(4000);
    work.fail(error);
    await (await reception).settled;
    expect(failures).toEqual([[error, { event: sampleEvents.track, answered: true }]]);
  });

  test('is waited for when respondAfter is false', async () => {
    const work = gate();
    const { receive } = setUp({ onEvent: () => work.passed, respondAfter: false });
    const answer = receive();
    await vi.advanceTimersByTimeAsync(3_600_000);
    work.open();
    expect((await answer).status).toBe(200);
  });

  test('is counted from the start of the request, which the sender counts from too', async () => {
    const work = gate();
    const { receiver } = setUp({ onEvent: () => work.passed });
    const body = gate();
    const bytes = new TextEncoder().encode(track.body);
    const reception = receiver.receive({ ...track, body: () => body.passed.then(() => bytes) });
    await vi.advanceTimersByTimeAsync(3000);
    body.open();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await reception).answer.status).toBe(202);
  });

  test('leaves no timer behind once it has ended', async () => {
    const { receive } = setUp({ onEvent: () => {} });
    await receive({ ...track, body: async () => new TextEncoder().encode(track.body) });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a body that does not come', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is answered 408 after five seconds, and its reader is told to stop', async () => {
    const { receiver } = setUp();
    let stopped: AbortSignal | undefined;
    const reception = receiver.receive({
      ...track,
      body: (_, signal) => {
        stopped = signal;
        return new Promise(() => {});
      },
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect((await reception).answer).toMatchObject({ status: 408, headers: { connection: 'close' } });
    expect(stopped?.aborted).toBe(true);
  });
});

describe('seen', () => {
  test.each([
    ['at once', (id: string) => id === 'sample-track'],
    ['later', async (id: string) => id === 'sample-track'],
  ])('that says so %s keeps a duplicate from the handler, and it is answered 200', async (_, seen) => {
    const { receive, events } = setUp({ seen });
    expect((await receive()).status).toBe(200);
    expect((await receive(sampleDelivery('page', { secret }))).status).toBe(200);
    expect(events).toEqual([sampleEvents.page]);
  });

  test('that fails is answered 500, and the event is not handled', async () => {
    const error = new Error('redis is away');
    const { receive, events, failures } = setUp({ seen: () => Promise.reject(error) });
    expect((await receive()).status).toBe(500);
    expect(events).toEqual([]);
    expect(failures).toEqual([[error, { event: sampleEvents.track, answered: false }]]);
  });

  test('is asked again after a failure, so that the next attempt is handled', async () => {
    const done = new Set<string>();
    let attempts = 0;
    const onEvent = (event: WebhookEvent): void => {
      attempts++;
      if (attempts === 1) throw new Error('not yet');
      if (event.type === 'track') done.add(event.messageId);
    };
    const { receive } = setUp({ seen: (id) => done.has(id), onEvent });
    expect([(await receive()).status, (await receive()).status, (await receive()).status]).toEqual([500, 200, 200]);
    expect(attempts).toBe(2);
  });

  test('lets a delivery that comes again meanwhile share the outcome of the first', async () => {
    const work = gate();
    const onEvent = vi.fn(() => work.passed);
    const { receive } = setUp({ seen: () => false, onEvent });
    const both = [receive(), receive()];
    work.fail(new Error('no'));
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([500, 500]);
    expect(onEvent).toHaveBeenCalledTimes(1);
    await receive();
    expect(onEvent).toHaveBeenCalledTimes(2);
  });

  test('is asked about a delete by its signed webhook-id, and not at all without one', async () => {
    const seen = vi.fn(() => false);
    const { receive } = setUp({ seen, accept: 'either' });
    await receive(sampleDelivery('delete', { secret }));
    expect(seen).not.toHaveBeenCalled();
    await receive(sampleDelivery('delete', { secret, standardHeaders: true, webhookId: 'evt-1' }));
    expect(seen.mock.calls).toEqual([['evt-1']]);
  });

  test('is not asked by a webhook-id that nobody signed', async () => {
    const seen = vi.fn(() => false);
    const { receive } = setUp({ seen });
    const { body, ...request } = sampleDelivery('delete', { secret });
    const headers = standardHeaders({ id: 'forged', timestampSeconds: 1, body, secret: 'another' });
    await receive({ ...request, body, headers: { ...request.headers, ...headers } });
    expect(seen).not.toHaveBeenCalled();
  });
});
