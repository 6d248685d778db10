import { expect, test } from 'vitest';
import { mistakesIn } from './plans.js';

const KEYS = '$schema, description, events, identify, group, page, screen, $defs';
const KEYWORD = 'a keyword of JSON Schema, or a name that begins with x-';
const PLACE = 'the place of a schema in this plan, such as #/$defs/money';

const ofEvent = (schema: unknown) => ({ events: { E: schema } });

test.each<[unknown, string]>([
  [3, ': expected an object with `events`, got number 3'],
  [{}, '/events: expected an object of schemas by name, got nothing'],
  [{ events: [] }, '/events: expected an object of schemas by name, got an array'],
  [{ events: {}, identfy: {} }, `/identfy: expected one of ${KEYS}, got an unknown key; did you mean identify?`],
  [ofEvent(3), '/events/E: expected a schema: an object, true or false, got number 3'],
  [ofEvent({ requird: [] }), `/events/E/requird: expected ${KEYWORD}, got an unknown key; did you mean required?`],
  [ofEvent({ $id: 'https://example.com/' }), `/events/E/$id: expected ${KEYWORD}, got an unknown key`],
  [
    ofEvent({ properties: { 'a/b': { typ: 1 } } }),
    `/events/E/properties/a~1b/typ: expected ${KEYWORD}, got an unknown key; did you mean type?`,
  ],
  [
    ofEvent({ items: [{}] }),
    '/events/E/items: expected a schema: an object, true or false; a list of schemas is `prefixItems`, got an array',
  ],
  [
    ofEvent({ properties: JSON.parse('{ "__proto__": { "type": "string" } }') }),
    '/events/E/properties/__proto__: expected another name than `__proto__`, got string "__proto__"',
  ],
  [ofEvent({ allOf: {} }), '/events/E/allOf: expected a list of schemas, got an object'],
  [
    ofEvent({ anyOf: [{ typ: 1 }] }),
    `/events/E/anyOf/0/typ: expected ${KEYWORD}, got an unknown key; did you mean type?`,
  ],
  [
    ofEvent({ $schema: 'http://json-schema.org/draft-07/schema#' }),
    '/events/E/$schema: expected https://json-schema.org/draft/2020-12/schema, got string "http://json-schema.org/draft-07/schema#"',
  ],
  [
    ofEvent({ pattern: '(' }),
    '/events/E/pattern: expected a regular expression of JavaScript, with the flag u, got string "("',
  ],
  [
    ofEvent({ patternProperties: { '[': {} } }),
    '/events/E/patternProperties/[: expected a regular expression of JavaScript, with the flag u, got string "["',
  ],
  [
    ofEvent({ format: 'dat' }),
    '/events/E/format: expected one of date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uuid, got string "dat"',
  ],
  [
    ofEvent({ uniqueItems: true, items: { type: 'object' } }),
    '/events/E/uniqueItems: expected items whose `type` is a scalar, or a `maxItems` of at most 1000, got neither',
  ],
  [
    ofEvent({ uniqueItems: true, maxItems: 1_001 }),
    '/events/E/uniqueItems: expected items whose `type` is a scalar, or a `maxItems` of at most 1000, got neither',
  ],
])('the plan %j is refused with the place of its mistake and the expected value', (plan, mistake) => {
  expect(mistakesIn(plan)).toEqual([mistake]);
});

test.each(['https://example.com/money.json', 'money.json', '#money', '#', '#/events', '#/$defs/none'])(
  'a plan that refers to %s is refused because it has no such schema',
  (ref) => {
    expect(mistakesIn(ofEvent({ $ref: ref }))).toEqual([`/events/E/$ref: expected ${PLACE}, got string "${ref}"`]);
  },
);

test('a plan with schemas that only refer to each other is refused', () => {
  const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
  expect(mistakesIn({ events: { E: { $ref: '#/$defs/a' } }, $defs })[0]).toBe(
    '/events/E/$ref: expected a schema that is more than a reference to itself, got string "#/$defs/a"',
  );
});

test('all mistakes of a plan are reported at once', () => {
  expect(mistakesIn({ events: { A: { typ: 1 }, B: { format: 'x' } }, user: {} })).toHaveLength(3);
});

test('a schema of a plan deeper than 200 levels is refused', () => {
  let schema: unknown = {};
  for (let depth = 0; depth < 10_000; depth++) schema = { not: schema };
  expect(mistakesIn(ofEvent(schema))[0]).toMatch(/: expected at most 200 levels, got an object$/);
});

test.each([
  ofEvent({ 'x-owner': { $ref: 'https://example.com/' } }),
  ofEvent({ enum: [{ $ref: 'https://example.com/' }], default: { typ: 1 } }),
  ofEvent({ uniqueItems: true, maxItems: 1_000 }),
  ofEvent({ uniqueItems: true, items: { type: ['string', 'null'] } }),
  ofEvent({ properties: { $ref: { type: 'string' }, events: true } }),
  { events: { A: { $ref: '#/identify' } }, identify: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
  { $schema: './plan.schema.json', description: 'The shop.', events: { A: { $ref: '#/events/B' }, B: true } },
])('the plan %j has no mistake', (plan) => {
  expect(mistakesIn(plan)).toEqual([]);
});
