import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { defineEvents } from '../../../src/events/index.js';
import { Analytics, type AnalyticsOptions, type Transport } from '../../../src/index.js';
import { client, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';

/** The warnings of the process, which are not printed. */
let warnings: { text: string; type: string; code: string }[];

beforeEach(() => {
  warnings = [];
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(((text: string, options: object) => {
    warnings.push({ text, ...options } as (typeof warnings)[number]);
  }) as typeof process.emitWarning);
  onTestFinished(() => emit.mockRestore());
});

const refused: Transport = () =>
  Promise.reject(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4100'), { code: 'ECONNREFUSED' }));

const endpoint = 'http://127.0.0.1:4100';

/** Resolves when everything is done that waits for neither a clock nor the network. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Sends one message of a client up to this many times. Each pause ends at once. */
async function send(transport: Transport, options: Partial<AnalyticsOptions> = {}, attempts = 1, hearsRetries = false) {
  const { analytics, clock } = client({ endpoint, transport, ...options });
  if (hearsRetries) analytics.on('retry', () => {});
  analytics.track(track());
  void analytics.flush();
  await settle();
  for (let attempt = 1; attempt < attempts; attempt++) {
    clock.advance(30_000);
    await settle();
  }
  expect(analytics.stats().requests).toBe(attempts);
}

test('a first failure before any delivery causes a warning that says where, why, what to do, and what happens to messages', async () => {
  await send(refused);
  expect(warnings).toEqual([
    {
      type: 'EventferryWarning',
      code: 'EVENTFERRY_CONNECTION',
      text:
        'eventferry: no answer from the collector at 127.0.0.1:4100: nothing listens on that port (connect ECONNREFUSED 127.0.0.1:4100). ' +
        'Check the port in `endpoint`, and whether the collector runs. ' +
        'Messages wait and are sent again for 4 h (`retryFor`); listen to `retry` or give a `logger` to hear of each attempt',
    },
  ]);
});

test('the warning about a first failure is given once, however many attempts fail', async () => {
  await send(refused, {}, 4);
  expect(warnings).toHaveLength(1);
});

test("the warning about a first failure that is a response includes the collector's text", async () => {
  await send(async () => ({ status: 503, body: 'no upstream' }), { maxRetries: 9, retryFor: 90_000 });
  expect(warnings).toMatchObject([{ code: 'EVENTFERRY_ANSWER' }]);
  expect(warnings[0]?.text).toContain('The collector answered 503: no upstream (at 127.0.0.1:4100)');
  expect(warnings[0]?.text).toContain('sent again for 1.5 min (`retryFor`), at most 9 times (`maxRetries`)');
});

test('the warning about a first failure is short and contains no control characters of the response', async () => {
  await send(async () => ({ status: 503, body: `\u001b[2J\r\n${'x'.repeat(10_000)}` }));
  expect(warnings[0]?.text).not.toMatch(/\p{Cc}/u);
  expect(warnings[0]?.text.length).toBeLessThan(600);
});

test.each([
  ['there is a `retry` listener', {}, true],
  ['there is a logger', { logger: { debug() {}, warn() {}, error() {} } }, false],
])('a first failure causes no warning if %s', async (_, options, hearsRetries) => {
  await send(refused, options, 1, hearsRetries);
  expect(warnings).toEqual([]);
});

test('a failure after a success counts as an outage and causes no warning', async () => {
  let requests = 0;
  const transport: Transport = (request) => (++requests === 1 ? Promise.resolve({ status: 200 }) : refused(request));
  const { analytics } = client({ endpoint, transport });
  analytics.track(track());
  await analytics.flush();
  analytics.track(track());
  void analytics.flush();
  await settle();
  expect(analytics.stats()).toMatchObject({ requests: 2, pending: 1 });
  expect(warnings).toEqual([]);
});

test('a loss without a listener or logger causes a warning, once for each status', async () => {
  const { url } = await sink(402, 402, 401);
  const analytics = new Analytics({ writeKey: 'key', endpoint: url });
  for (let i = 0; i < 3; i++) {
    analytics.track(track());
    await analytics.flush();
  }
  await analytics.close();
  await expect.poll(() => warnings).toHaveLength(2);
  expect(warnings.map(({ text }) => /status \d+/.exec(text)?.[0])).toEqual(['status 402', 'status 401']);
});

/** Listeners that fail and so do not count as having heard. */
const DEAF: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('a mistake in the listener');
  },
  rejects: async () => {
    throw new Error('a mistake in the listener');
  },
};

/** The events that cause a warning if nobody listens to them, with the options of a client that emits each of them twice. */
const WARNED_OF = {
  lost: { options: { transport: async () => ({ status: 402 }) }, warning: /lost \d+ messages: .*status 402/ },
  violation: { options: { events: defineEvents({}), transport: refused, retryFor: 0 }, warning: /track\.event/ },
  retry: { options: { transport: refused }, warning: /no answer from the collector/ },
} as const;

const deaf = Object.keys(DEAF).flatMap((how) =>
  (Object.keys(WARNED_OF) as (keyof typeof WARNED_OF)[]).map((event) => [event, how] as const),
);

test.each(deaf)(
  'a `%s` listener that %s does not count as having heard, so both the event and its error cause warnings',
  async (event, how) => {
    const { options, warning } = WARNED_OF[event];
    const analytics = new Analytics({ writeKey: 'key', endpoint, ...options });
    onTestFinished(() => void analytics.close({ timeout: 0 }));
    analytics.on(event, DEAF[how] as () => unknown);
    for (let i = 0; i < 2; i++) (analytics as Analytics).track(track());
    void analytics.flush();
    await expect.poll(() => warnings.map(({ text }) => text)).toContainEqual(expect.stringMatching(warning));
    expect(warnings.map(({ text }) => text)).toContain(
      'eventferry: a listener failed: a mistake in the listener; once a minute',
    );
  },
);

test.each(Object.entries(DEAF))(
  'a loss that one listener hears causes no warning if another one %s',
  async (_, listener) => {
    const analytics = new Analytics({ writeKey: 'key', endpoint, transport: async () => ({ status: 402 }) });
    for (const each of [listener, () => {}, listener]) analytics.on('lost', () => each());
    analytics.track(track());
    await analytics.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const codes = warnings.map(({ code }) => code);
    expect(codes).toContain('EVENTFERRY_LISTENER');
    expect(codes).not.toContain('EVENTFERRY_REJECTED');
  },
);

test('a `once` listener hears of one loss of a batch, and a warning reports the others', async () => {
  const analytics = new Analytics({ writeKey: 'key', endpoint, transport: async () => ({ status: 451 }) });
  let heard = 0;
  analytics.once('lost', () => heard++);
  for (let i = 0; i < 3; i++) analytics.track(track());
  await analytics.close();
  await expect.poll(() => warnings).toMatchObject([{ text: expect.stringContaining('lost 2 messages') }]);
  expect(heard).toBe(1);
});

test('a Map or a Set in a message causes one warning, and a number that is not finite causes one too', () => {
  const { analytics } = client({ endpoint, transport: refused });
  analytics.track({ ...track(), properties: { seen: new Set(['a']) } });
  analytics.track({ ...track(), properties: { by: new Map(), total: Number.POSITIVE_INFINITY } });
  analytics.track({ ...track(), properties: { total: Number.NaN } });
  expect(warnings).toMatchObject([
    {
      code: 'EVENTFERRY_VALUE_VANISHED',
      text: expect.stringMatching(/track\.properties\.seen is a Set, .* arrives; give/),
    },
    { code: 'EVENTFERRY_VALUE_VANISHED', text: expect.stringContaining('track.properties.total is Infinity') },
  ]);
});
