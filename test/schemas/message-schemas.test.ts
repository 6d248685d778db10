import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { ValidationError } from '../../src/base/errors/errors.js';
import { Analytics } from '../../src/index.js';
import type { Track, TypedMessage } from '../../src/protocol/calls.js';
import { EVENT_TYPES, MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { type MessageSchema, message, messages, type WebhookEvent, webhookEvent } from '../../src/schemas/index.js';
import { readEvent } from '../../src/webhooks/read-event.js';
import { sampleEvents } from '../../src/webhooks/testing/sample-events.js';
import { callOf, NEEDED } from '../support/sample-calls.js';

test('there is a schema for each call, and it returns the same value that it was given', () => {
  expect(Object.keys(messages)).toEqual(MESSAGE_TYPES);
  expect(messages.track['~standard']).toMatchObject({ version: 1, vendor: 'eventferry' });
  for (const type of MESSAGE_TYPES) {
    const given = { ...NEEDED, extra: new Map() };
    const result = messages[type].safeParse(given);
    expect(result.success && result.data).toBe(given);
  }
});

test.each<[string, MessageSchema<unknown>, unknown, { message: string; path: PropertyKey[] }]>([
  [
    'a field',
    messages.track,
    { ...NEEDED, userId: 7 },
    { message: 'expected a non-empty string, got number 7', path: ['userId'] },
  ],
  [
    'a missing field',
    messages.track,
    { userId: 'u' },
    { message: 'expected a non-empty string, got undefined', path: ['event'] },
  ],
  [
    'a field inside of an object',
    message,
    { ...NEEDED, type: 'page', properties: { url: 5 } },
    { message: 'expected a string, got number 5', path: ['properties', 'url'] },
  ],
  [
    'an unknown type',
    message,
    { ...NEEDED, type: 'trak' },
    { message: `expected one of ${MESSAGE_TYPES.join(', ')}, got string "trak"`, path: ['type'] },
  ],
  [
    'a type that every object has',
    message,
    { ...NEEDED, type: 'constructor' },
    { message: `expected one of ${MESSAGE_TYPES.join(', ')}, got string "constructor"`, path: ['type'] },
  ],
  [
    'another type',
    messages.track,
    { ...NEEDED, type: 'page' },
    { message: 'expected "track", got string "page"', path: ['type'] },
  ],
  ['no object', message, [NEEDED], { message: 'expected a plain object, got an array', path: [] }],
  [
    'an event without its version',
    webhookEvent,
    { ...sampleEvents.track, version: undefined },
    { message: 'expected 1, got undefined', path: ['version'] },
  ],
  [
    'an event of another type',
    webhookEvent,
    { ...sampleEvents.track, type: 'vitals' },
    { message: `expected one of ${EVENT_TYPES.join(', ')}, got string "vitals"`, path: ['type'] },
  ],
])('a mistake in %s gives exactly one issue', (_, schema, given, issue) => {
  expect(schema.safeParse(given)).toEqual({ success: false, issues: [issue] });
  expect(schema['~standard'].validate(given)).toEqual({ issues: [issue] });
});

/** Returns a receiver's refusal of a body as an issue; undefined if the receiver accepts the body. */
function refusalOf(body: unknown): { message: string; path: string[] } | undefined {
  try {
    readEvent(new TextEncoder().encode(JSON.stringify(body)));
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { path, expected, received } = error;
    return { message: `expected ${expected}, got ${received}`, path: path.split('.').slice(1) };
  }
}

/** Returns the first issue that the schema of a webhook body finds. */
function issueIn(body: unknown): unknown {
  const result = webhookEvent.safeParse(body);
  return result.success ? undefined : result.issues[0];
}

test.each([[null], [[]], [7], ['text'], [{}], [{ type: '' }], [{ type: 7 }], [{ type: null }]])(
  'the schema of a webhook body and a receiver report the same mistake in %j',
  (body) => {
    expect(issueIn(body)).toEqual(refusalOf(body));
    expect(refusalOf(body)).toBeDefined();
  },
);

test('a body with a million unknown fields costs the schema no more than any other', () => {
  const body: Record<string, unknown> = { ...sampleEvents.track };
  const read = new Set<PropertyKey>();
  const counting = new Proxy(body, {
    get: (target, name) => {
      read.add(name);
      return target[name as string];
    },
    ownKeys: () => {
      throw new Error('Every field is gone through');
    },
  });
  expect(webhookEvent.safeParse(counting).success).toBe(true);
  expect(read.size).toBeLessThan(30);
});

test('a message with too many fields gives one issue, with the same text as the error of a call', () => {
  const fields = Object.fromEntries(Array.from({ length: 6_401 }, (_, index) => [`k${index}`, {}]));
  const issues = [{ message: 'expected at most 6400 fields, got more', path: [] }];
  expect(messages.track.safeParse({ ...fields, userId: 7 })).toEqual({ success: false, issues });
  expect(() => callOf(quiet, 'track', { ...NEEDED, ...fields })).toThrow(
    'track: expected at most 6400 fields, got more',
  );
});

const quiet = new Analytics({ writeKey: 'k', endpoint: 'http://127.0.0.1:9', closeOnSignal: false });

const CHANGES: readonly unknown[] = [null, '', 7, {}, [], 'x', '2026-11-20T12:00:00Z', { url: 7 }];

test.each(Object.values(sampleEvents))(
  'the schema of a webhook body and a receiver agree on each field of $type',
  (event) => {
    expect(webhookEvent.safeParse(event)).toEqual({ success: true, data: event });
    for (const field of [...Object.keys(event), 'originalTimestamp', 'traits', 'properties'])
      for (const value of CHANGES) {
        const changed = { ...event, [field]: value };
        const isKnown = field !== 'type' || (EVENT_TYPES as readonly unknown[]).includes(value);
        if (isKnown || value === '' || typeof value !== 'string')
          expect([field, value, issueIn(changed)]).toEqual([field, value, refusalOf(changed)]);
      }
  },
);

test("the type of a schema's output is that of the call, the typed message or the event", () => {
  type Of<S> = S extends { '~standard': { types?: { output: infer T } | undefined } } ? T : never;
  expectTypeOf<Of<typeof messages.track>>().toEqualTypeOf<Track>();
  expectTypeOf<Of<typeof message>>().toEqualTypeOf<TypedMessage>();
  expectTypeOf<Of<typeof webhookEvent>>().toEqualTypeOf<WebhookEvent>();
});

test('a zod schema can use a schema of eventferry', () => {
  const envelope = z.object({
    events: z.array(z.custom<TypedMessage>((value) => message.safeParse(value).success)),
  });
  expect(envelope.safeParse({ events: [{ ...NEEDED, type: 'track' }] }).success).toBe(true);
  expect(envelope.safeParse({ events: [{ type: 'track' }] }).success).toBe(false);
});

test.each<[string, object]>([
  [
    'a getter',
    {
      event: 'e',
      get userId() {
        throw new Error('boom');
      },
    },
  ],
  [
    'a proxy',
    new Proxy(
      {},
      {
        get() {
          throw new Error('boom');
        },
      },
    ),
  ],
  [
    'a toJSON',
    {
      userId: 'u',
      event: 'e',
      properties: {
        get toJSON() {
          throw new Error('boom');
        },
      },
    },
  ],
])('a value with %s that throws gives one issue, and no error is thrown', (_, given) => {
  const issues = [
    { message: expect.stringMatching(/^expected a value that can be read, got one that throws .*boom/), path: [] },
  ];
  expect(messages.track.safeParse(given)).toEqual({ success: false, issues });
});
