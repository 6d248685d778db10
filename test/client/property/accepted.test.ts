import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ValidationError } from '../../../src/base/errors/errors.js';
import { Collector, type ReceivedMessage } from '../../../src/collector/index.js';
import type { Deliverable } from '../../../src/delivery/deliverable.js';
import { Destination } from '../../../src/destination/destination.js';
import { prepareEvent } from '../../../src/destination/intake/prepared-event.js';
import type { MessageTypeName } from '../../../src/protocol/calls.js';
import { messageTypes } from '../../../src/protocol/message-checks.js';
import { sign } from '../../../src/signature/x-signature.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { createReceiver } from '../../../src/webhooks/receiver.js';
import { seal } from '../../store/seal.js';
import { NEEDED } from '../../support/sample-calls.js';

const NOON = Date.UTC(2026, 10, 20, 12);
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 60);

let url: string;
let collector: Collector;
let destination: Destination;
/** The messages that were accepted since this list was last emptied. */
let collected: ReceivedMessage[] = [];
let stored: Uint8Array[] = [];

beforeAll(async () => {
  const onMessages = (messages: ReceivedMessage[]): void => void collected.push(...messages);
  collector = new Collector({ writeKeys: ['dev'], now: () => NOON, onMessages });
  ({ url } = await collector.listen({ port: 0 }));
  const store = new MemoryStore();
  // Pretends that the event is a repetition, so that nothing is sent.
  store.add = async (_, body) => {
    stored.push(body);
    return false;
  };
  destination = await Destination.open({ webhooks: [{ url: 'https://example.com/' }], store: seal(store) });
});
afterAll(() => Promise.all([collector.close(), destination.close()]));

const receiver = createReceiver({ secrets: 'shhh', onEvent: () => {}, onUnknown: () => expect.unreachable('unknown') });

/** Returns our receiver's response to a body, with its default options. */
async function answerTo(body: Uint8Array): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-signature': sign(body, 'shhh') };
  const { answer } = await receiver.receive({ method: 'POST', headers, body });
  return answer.status === 200 ? 200 : { ...answer, sent: Buffer.from(body).toString().slice(0, 500) };
}

const type = fc.constantFrom(...(Object.keys(messageTypes) as MessageTypeName[]));
const NAMES = [
  ...['userId', 'anonymousId', 'groupId', 'previousId', 'messageId', 'event', 'name', 'category'],
  ...['properties', 'traits', 'context', 'integrations', 'timestamp', 'originalTimestamp', 'sentAt', 'receivedAt'],
  ...['version', '__proto__', 'constructor', 'toJSON', 'unknown'],
];

/** JSON that `JSON.stringify` would not write, each by the text that represents it. */
const RAW: Record<string, string> = {
  minusZero: '-0',
  infinite: '1e400',
  exponent: '1E+21',
  integer: '12345678901234567890',
};
const raw = fc.constantFrom(...Object.keys(RAW).map((name) => `raw:${name}`));

const texts = fc.constantFrom('', ' ', 'x', '\ud800', 'a\udfffb', '__proto__', 'x'.repeat(100), '日本', '\u0000');
const numbers = fc.constantFrom(
  0,
  1,
  -1,
  1.5,
  1e21,
  1e-7,
  5e-324,
  Number.MAX_VALUE,
  1e9,
  253_402_300_799_999,
  253_402_300_800_000,
);
const times = fc.constantFrom(
  ...['2026-11-20T12:00:00.000Z', '2026-11-20T12:00', '2026-11-20 12:00:00.123456789 +0130', '2026-11-20', '20261120'],
  ...['0000-01-01', '9999-12-31T23:59:59.999999999Z', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', 'soon'],
  ...['+010000-01-01T00:00:00.000Z', '2023-02-29', '2026-11-20T12:00:00+01:', '2026-11-20T24:00:00Z'],
);
const odd = fc.oneof(
  texts,
  numbers,
  times,
  raw,
  fc.constantFrom<unknown>(null, true, false, [], [1], {}, { a: 1 }, [[]], { __proto__: null }),
);
const fields = fc.array(fc.tuple(fc.constantFrom(...NAMES), odd), { maxLength: 4 });

/** The JSON of an object with these fields in order, including `__proto__` and repeated ones. */
const jsonOf = (entries: readonly (readonly [string, unknown])[]): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${rawJson(value)}`).join(',')}}`;

const rawJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/"raw:(\w+)"/g, (_, name: string) => RAW[name] ?? 'null');

const messageJson = fc
  .tuple(type, fields)
  .map(([name, wrong]) => jsonOf([['type', name], ...Object.entries(NEEDED), ...wrong]));

async function collect(body: string): Promise<ReceivedMessage[]> {
  collected = [];
  const response = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('dev:')}` },
    body,
  });
  expect(response.status, await response.text()).toBeOneOf([200, 400]);
  return collected;
}

/** Both ways must accept the message: through the service, and through a destination of the program. */
async function assertReceived(message: ReceivedMessage): Promise<void> {
  const deliverable = message as unknown as Deliverable;
  expect(await answerTo(prepareEvent(deliverable).body)).toBe(200);
  stored = [];
  await destination.deliver({ ...deliverable, integrations: undefined } as Deliverable);
  for (const body of stored) expect(await answerTo(body)).toBe(200);
  expect(stored).toHaveLength(1);
}

const named = '"type":"page","userId":"u"';
test.each([
  ['a number as its userId', '{"type":"identify","userId":42}'],
  ['-0 as its anonymousId', '{"type":"identify","anonymousId":-0}'],
  ['a number as its name', `{${named},"name":5}`],
  ['a number as its timestamp', `{${named},"timestamp":1763640000000}`],
  ['a number as its originalTimestamp', `{${named},"originalTimestamp":12}`],
  ['a number as its sentAt', `{${named},"sentAt":7}`],
  ['an object as its sentAt', `{${named},"sentAt":{}}`],
  ['an empty list as its properties', `{${named},"properties":[]}`],
  ['an empty list as its context', `{${named},"context":[]}`],
  ['its own receivedAt and version', `{${named},"receivedAt":5,"version":2}`],
  ['half of a surrogate pair in its messageId', `{${named},"messageId":"\\ud800"}`],
])('a message with %s is accepted by the collector, the destination and the receiver', async (_, json) => {
  const [message] = await collect(`{"batch":[${json}]}`);
  expect(message).toBeDefined();
  if (message !== undefined) await assertReceived(message);
});

test.each([
  ['an object as its name', `{${named},"name":{}}`],
  ['an object as its anonymousId', `{${named},"anonymousId":{}}`],
  ['1e21 as its groupId', '{"type":"group","userId":"u","groupId":1e21}'],
  ['a fraction as its id', '{"type":"alias","userId":"u","previousId":-1.5}'],
  ['1e400 as its groupId', '{"type":"group","userId":"u","groupId":1e400}'],
])('a message with %s, which no receiver would accept, is rejected by the collector', async (_, json) => {
  expect(await collect(`{"batch":[${json}]}`)).toEqual([]);
});

test('a message that fits alone but not with the context of its batch is rejected by the collector', async () => {
  const fill = (bytes: number): string => JSON.stringify({ fill: 'x'.repeat(bytes) });
  const message = (bytes: number): string => `{"type":"identify","userId":"u","traits":${fill(bytes)}}`;
  const [small, ...others] = await collect(`{"batch":[${message(100)},${message(32_700)}],"context":${fill(32_700)}}`);
  expect(others).toEqual([]);
  if (small !== undefined) await assertReceived(small);
});

test('deliver() and our receiver accept everything that the collector accepts', async () => {
  const level = fc.option(odd, { nil: undefined });
  const batch = fc.record({ context: level, integrations: level, sentAt: level }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(fc.array(messageJson, { minLength: 1, maxLength: 12 }), batch, async (messages, levels) => {
      const entries = Object.entries(levels).filter(([, value]) => value !== undefined);
      const envelope = jsonOf(entries).slice(1);
      const body = `{"batch":[${messages}]${entries.length > 0 ? ',' : ''}${envelope}`;
      for (const message of await collect(body)) await assertReceived(message);
    }),
    { numRuns },
  );
});

test('the largest message and context that the collector accepts fit in what our receiver accepts', async () => {
  const character = fc.constantFrom('x', 'é', '日', '😀', '"', '\u0001');
  const size = fc.constantFrom(30_000, 32_000, 32_500, 32_600, 32_700, 32_740, 32_768);
  const levels = fc.record({
    message: size,
    context: size,
    integrations: fc.constantFrom(0, 10, 1_000, 32_000),
    character,
  });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(levels, async ({ message, context, integrations, character: filler }) => {
      const filled = (bytes: number) => ({ fill: filler.repeat(bytes / (JSON.stringify(filler).length - 2)) });
      const body = {
        batch: [{ type: 'identify', userId: 'u', traits: filled(message - 100 - (message % 7)), timestamp: 0 }],
        context: filled(context - 50),
        integrations: filled(integrations),
      };
      for (const accepted of await collect(JSON.stringify(body))) {
        await assertReceived(accepted);
        taken++;
      }
    }),
    { numRuns },
  );
  expect(taken).toBeGreaterThan(0);
});

test('the deepest message and context that the collector accepts are delivered', async () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const message = (levels: number): string => `{"type":"identify","userId":"u","traits":${nested(levels - 1)}}`;
  const [deepest] = await collect(`{"batch":[${message(1_000)},${message(1_001)}],"context":${nested(999)}}`);
  expect(collected).toHaveLength(1);
  if (deepest !== undefined) await assertReceived(deepest);
});

class Session {
  readonly plan = 'pro';
  get size(): number {
    return 1;
  }
}

const inProgram = fc.constantFrom<unknown>(
  ...[new Date(0), new Date(Number.NaN), new Date(8.64e15), new Date(-8.64e15), new Session(), new Map([[1, 2]])],
  ...[Number.NaN, Number.POSITIVE_INFINITY, -0, 1n, Symbol('s'), () => 1, undefined, Object.create(null)],
  ...[{ toJSON: () => [] }, { toJSON: () => 'x' }, { toJSON: () => ({ a: 1 }) }, { toJSON: () => undefined }],
  ...[new String('x'), new Number(5), Buffer.from('x'), { toJSON: 5 }, { fill: 'x'.repeat(66_000) }],
  ...('rawJSON' in JSON ? [(JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('5')] : []),
);

test('our receiver accepts everything that deliver() accepts, and deliver() refuses the rest with a ValidationError', async () => {
  const values = fc.oneof(odd, inProgram);
  const given = fc.array(fc.tuple(fc.constantFrom('type', ...NAMES), values), { maxLength: 4 });
  const anyType = fc.oneof(type, fc.constant('delete'));
  const timestamp = '2026-11-20T12:00:00.000Z';
  await fc.assert(
    fc.asyncProperty(anyType, given, fc.boolean(), async (name, wrong, isInherited) => {
      const base = { type: name, messageId: 'm', timestamp, ...NEEDED };
      const message = isInherited ? Object.create(base) : base;
      for (const [key, value] of wrong)
        Object.defineProperty(message, key, { value, enumerable: true, configurable: true, writable: true });
      stored = [];
      const failure: unknown = await destination.deliver(message).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) expect(failure).toBeInstanceOf(ValidationError);
      for (const body of stored) expect(await answerTo(body)).toBe(200);
    }),
    { numRuns: numRuns * 10 },
  );
});
