import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventferryError } from '../../../src/base/errors/errors.js';
import { Analytics } from '../../../src/client/analytics.js';
import { nodePlatform } from '../../../src/client/platform.js';
import { type BatchLevel, readSent } from '../../../src/collector/enrich.js';
import { validateBatch } from '../../../src/collector/validate-batch.js';
import type { Deliverable } from '../../../src/delivery/deliverable.js';
import { prepareEvent } from '../../../src/destination/intake/prepared-event.js';
import type { TransportRequest } from '../../../src/index.js';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';
import { readEvent } from '../../../src/webhooks/read-event.js';
import { FakeClock } from '../../support/fake-clock.js';
import { NEEDED } from '../../support/sample-calls.js';

const thrower = new Proxy(
  {},
  {
    get: () => {
      throw new Error('trap');
    },
    ownKeys: () => {
      throw new Error('trap');
    },
    getPrototypeOf: () => {
      throw new Error('trap');
    },
  },
);
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const deep = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`);
const deepest = JSON.parse(`${'['.repeat(998)}${']'.repeat(998)}`);
const sparse: unknown[] = [];
sparse[1_556_703_000] = 1;
const thrown = (value: unknown): object => ({
  get x() {
    throw value;
  },
});

/** Tracks itself again whenever it is read. Each test sets its own client. */
let trackAgain: (again: object) => void = () => {};
const again: object = {
  toJSON() {
    trackAgain(again);
    return {};
  },
};

const nasty = fc.constantFrom<unknown>(
  thrower,
  cycle,
  deep,
  deepest,
  sparse,
  new Uint8Array(1e9),
  new String('x'.repeat(2 ** 28)),
  again,
  thrown(Object.create(null)),
  thrown(thrown(1)),
  thrown(thrower),
  { toJSON: () => thrower },
  {
    toJSON() {
      throw thrower;
    },
  },
  thrown(Symbol('a\nb')),
  thrown(Object.defineProperty(new Error('x'), 'message', { get: () => thrown(1) })),
  thrown(`a\nb\u001b[31m${'x'.repeat(1_000)}`),
  null,
  '',
  0,
  { toJSON: () => null },
  { toJSON: () => sparse },
  { url: null, path: '' },
  1n,
  Number.NaN,
  Symbol('s'),
  () => 1,
  class {},
  new Map([[1, 2]]),
  new Date(Number.NaN),
  {
    get x() {
      throw new Error('getter');
    },
  },
  {
    toJSON() {
      throw new Error('toJSON');
    },
  },
  { toJSON: () => 'text' },
  { toJSON: () => cycle },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  '\ud800',
  '"},{"type":"track"',
  '\u2028\u0000',
  'x'.repeat(40_000),
  Object.create({ userId: 'inherited', event: 'inherited' }),
);

/** The batch level of our client's messages. */
const LEVEL: BatchLevel = {
  context: { library: { name: 'eventferry' } },
  integrations: undefined,
  sent: readSent('2026-11-20T12:00:00.000Z'),
  receivedMs: Date.parse('2026-11-20T12:00:01.000Z'),
  receivedAt: '2026-11-20T12:00:01.000Z',
  newId: () => 'new',
};

const value = fc.oneof(
  nasty,
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
);
const names = [
  'userId',
  'event',
  'groupId',
  'previousId',
  'properties',
  'traits',
  'context',
  'integrations',
  'timestamp',
  'messageId',
  'anonymousId',
  'category',
  'name',
  'originalTimestamp',
  'receivedAt',
  'sentAt',
  'version',
  'a\nb',
  'type',
  '__proto__',
  'other',
];
/** Text that is invalid as an id, which random values seldom are. */
const idText = fc.constantFrom('\ud800', '\u2028\u0000', 'a\nb', '', ' ', 'undefined', 'é'.repeat(600));
const message = fc.oneof(
  fc
    .record(
      {
        userId: idText,
        anonymousId: idText,
        previousId: idText,
        groupId: idText,
        messageId: idText,
        name: idText,
        properties: nasty,
      },
      { requiredKeys: [] },
    )
    .map((ids) => ({ ...NEEDED, ...ids })),
  value,
  fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 3 }).map((fields) => {
    const made: Record<string, unknown> = { ...NEEDED };
    for (const [key, field] of fields)
      Object.defineProperty(made, key, { value: field, enumerable: true, configurable: true, writable: true });
    return made;
  }),
);
const call = fc.tuple(fc.constantFrom(...MESSAGE_TYPES), message);

test('any argument of a call is refused with one of our errors or arrives as valid JSON without harming other messages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 8 }), async (calls) => {
      const bodies: string[] = [];
      const transport = async ({ body }: TransportRequest) => {
        bodies.push(Buffer.from(body).toString());
        return { status: 200 };
      };
      const clock = new FakeClock();
      const analytics = new Analytics(
        { writeKey: 'key', endpoint: 'http://127.0.0.1:1', transport },
        { ...nodePlatform, clock, random: () => 0, newId: () => crypto.randomUUID() },
      );
      let accepted = 0;
      let calledAgain = 0;
      trackAgain = (properties) => {
        calledAgain++;
        analytics.track({ userId: 'u', event: 'again', properties });
        accepted++;
      };
      const take = (make: () => unknown): void => {
        try {
          make();
          accepted++;
        } catch (error) {
          expect(error).toBeInstanceOf(EventferryError);
          expect((error as Error).message.length).toBeLessThan(800);
          expect((error as Error).message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        }
      };
      take(() => analytics.track({ userId: 'u', event: 'before', messageId: 'first' }));
      for (const [type, hostile] of calls) take(() => analytics[type](hostile as never));
      expect(calledAgain).toBeLessThanOrEqual(1_000);
      take(() => analytics.track({ userId: 'u', event: 'after', messageId: 'last' }));
      await analytics.flush();
      const batch = bodies.flatMap((body) => JSON.parse(body).batch);
      expect(batch).toHaveLength(accepted);
      expect(batch[0]).toMatchObject({ messageId: 'first', event: 'before' });
      expect(batch.at(-1)).toMatchObject({ messageId: 'last', event: 'after' });
      for (const each of batch) {
        expect(each).toMatchObject({
          type: expect.any(String),
          messageId: expect.any(String),
          timestamp: expect.any(String),
        });
        expect([each.userId, each.anonymousId]).not.toContain(null);
        expect([each.userId, each.anonymousId]).not.toContain('');
      }
      // Whatever a call accepts, our collector accepts, and so does our receiver.
      const { messages, rejected } = validateBatch(batch, LEVEL);
      expect(rejected).toEqual([]);
      for (const each of messages)
        expect(readEvent(prepareEvent(each as Deliverable).body)).toMatchObject({ known: true });
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 150) },
  );
}, 600_000);
