import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvents } from '../../src/events/index.js';
import type { Message } from '../../src/protocol/message.js';

const sent = { messageId: 'm', timestamp: '2026-11-20T12:00:00.000Z', userId: 'u' };
const track = (event: string, properties?: Record<string, unknown>): Message => ({
  ...sent,
  type: 'track',
  event,
  properties,
});

const schemas = {
  zod: z.object({ total: z.number(), coupon: z.string().optional() }),
  valibot: v.object({ total: v.number(), coupon: v.optional(v.string()) }),
  arktype: type({ total: 'number', 'coupon?': 'string' }),
};

describe.each(Object.entries(schemas))('catalogues with schemas of %s', (_, schema) => {
  const events = defineEvents({ 'Order Completed': schema });

  test('a schema of the catalogue accepts valid properties', () => {
    expect(events.check(track('Order Completed', { total: 42 }))).toBeUndefined();
  });

  test('a violation names the path and the mistake', () => {
    expect(events.check(track('Order Completed', { total: '42' }))).toEqual({
      code: 'EVENTFERRY_VIOLATION',
      event: 'Order Completed',
      path: 'track.properties.total',
      message: expect.stringMatching(/^track\.properties\.total of "Order Completed": .*number/),
      issues: [{ path: 'track.properties.total', message: expect.stringMatching(/number/) }],
    });
  });

  test('a schema finds missing fields if the properties are left out', () => {
    expect(events.check(track('Order Completed'))).toMatchObject({ path: 'track.properties.total' });
  });
});

test('a violation has the path of a mistake deep in the properties, and counts the others', () => {
  const item = z.object({ sku: z.string(), 'unit price': z.number() });
  const events = defineEvents({ 'Order Completed': z.object({ items: z.array(item) }) });
  const violation = events.check(track('Order Completed', { items: [{ sku: 1, 'unit price': 'x' }] }));
  expect(violation?.path).toBe('track.properties.items[0].sku');
  expect(violation?.message).toMatch(/; and 1 more$/);
  expect(violation?.issues.map(({ path }) => path)).toEqual([
    'track.properties.items[0].sku',
    'track.properties.items[0]["unit price"]',
  ]);
});

test('an event outside the catalogue is a violation that suggests the name that was probably meant', () => {
  const events = defineEvents({ 'Order Completed': schemas.zod, 'Signed Up': {} });
  expect(events.check(track('Order Complete', { total: 42 }))).toEqual({
    code: 'EVENTFERRY_UNKNOWN_EVENT',
    event: 'Order Complete',
    path: 'track.event',
    message:
      'track.event: expected an event of the catalogue, got string "Order Complete". Did you mean "Order Completed"?',
    issues: [],
  });
  expect(events.check(track('constructor'))).toMatchObject({ code: 'EVENTFERRY_UNKNOWN_EVENT' });
});

test('with `allowUnknown`, an event outside the catalogue may have any properties', () => {
  const events = defineEvents({ 'Order Completed': schemas.zod }, { allowUnknown: true });
  expect(events.check(track('Anything', { total: 'x' }))).toBeUndefined();
  expect(events.check(track('Order Completed', { total: 'x' }))).toMatchObject({ code: 'EVENTFERRY_VIOLATION' });
});

test('an event without a schema may have any properties', () => {
  const events = defineEvents({ 'Signed Up': { description: 'An account was made.' }, 'Signed Out': {} });
  expect(events.check(track('Signed Up', { any: ['thing'] }))).toBeUndefined();
  expect(events.check(track('Signed Out'))).toBeUndefined();
});

test('properties may be left out if their schema accepts an empty object or `undefined`', () => {
  const events = defineEvents({
    empty: z.strictObject({}),
    optional: z.object({ coupon: z.string().optional() }),
    whole: z.object({ total: z.number() }).optional(),
  });
  for (const event of ['empty', 'optional', 'whole']) expect(events.check(track(event)), event).toBeUndefined();
  expect(events.check(track('empty', { any: 1 }))).toMatchObject({ path: 'track.properties' });
  expect(events.check(track('whole', {}))).toMatchObject({ path: 'track.properties.total' });
});

test('the traits of identify and group and the properties of page and screen are checked by their schemas', () => {
  const plan = z.object({ plan: z.string() });
  const events = defineEvents({}, { identify: plan, group: plan, page: plan, screen: plan });
  const messages: Message[] = [
    { ...sent, type: 'identify', traits: { plan: 1 } },
    { ...sent, type: 'group', groupId: 'g', traits: { plan: 1 } },
    { ...sent, type: 'page', properties: { plan: 1 } },
    { ...sent, type: 'screen', properties: { plan: 1 } },
  ];
  expect(messages.map((message) => events.check(message)?.path)).toEqual([
    'identify.traits.plan',
    'group.traits.plan',
    'page.properties.plan',
    'screen.properties.plan',
  ]);
  expect(events.check({ ...sent, type: 'identify', traits: { plan: 'pro' } })).toBeUndefined();
  expect(events.check({ ...sent, type: 'alias', userId: 'u', previousId: 'p' })).toBeUndefined();
  expect(events.check({ ...sent, type: 'identify', traits: { plan: 1 } })).toMatchObject({ event: undefined });
});

test('a call without its own schema may have any traits or properties', () => {
  const events = defineEvents({});
  expect(events.check({ ...sent, type: 'identify', traits: { plan: 1 } })).toBeUndefined();
  expect(events.check({ ...sent, type: 'page', properties: { title: 'x' } })).toBeUndefined();
});

describe('defineEvents refuses', () => {
  test.each<[string, unknown, unknown, RegExp]>([
    ['no object', undefined, undefined, /`events` to be an object, got undefined. Write defineEvents/],
    ['a list', [], undefined, /`events` to be an object, got an array/],
    [
      'the name of a schema instead of a schema',
      { Paid: 'x' },
      undefined,
      /`events\.Paid` to be a Standard Schema, or \{ schema, desc/,
    ],
    ['null', { 'Order Completed': null }, undefined, /`events\["Order Completed"\]` .* got null/],
    ['JSON Schema', { Paid: { type: 'object' } }, undefined, /`events\.Paid\.type` to be a known option/],
    ['a JSON Schema', { Paid: { schema: { type: 'x' } } }, undefined, /`events\.Paid\.schema` to be a St/],
    [
      'an incomplete Standard Schema',
      { Paid: { '~standard': {} } },
      undefined,
      /`events\.Paid` to be a Standard Schema, g/,
    ],
    [
      'a description that is not text',
      { Paid: { description: 1 } },
      undefined,
      /`events\.Paid\.description` to be a st/,
    ],
    ['traits that are not a schema', {}, { identify: {} }, /`identify` to be a Standard Schema, got an object/],
    ['traits that are null', {}, { identify: null }, /`identify` to be a Standard Schema, got null/],
    ['an unknown option', {}, { idenfity: schemas.zod }, /`idenfity` .* Did you mean `identify`\?/],
    ['a wrong type for a boolean option', {}, { allowUnknown: 'yes' }, /`allowUnknown` to be true or false/],
  ])('%s', (_, definitions, options, message) => {
    expect(() => defineEvents(definitions as never, options as never)).toThrow(
      expect.objectContaining({ code: 'EVENTFERRY_INVALID_OPTION', message: expect.stringMatching(message) }),
    );
  });
});
