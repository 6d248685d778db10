import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import { decodeRecord, encodeRecord, isShort, readText, refIn, textOf } from '../../../src/store/redis/stored-text.js';

const URLS = ['https://a.example/', 'https://b.example/'];
const BODY = Buffer.from('{"text":"one\\ntwo"}\n');

const eventWith = (origin: { source?: string; trace?: string; user?: string } = {}): StoredEvent =>
  newEvent('m1', 'track', URLS, 1_000, { ...origin, bytes: BODY.length });

const origins = [
  {},
  { source: 'web' },
  { trace: '00-1-2-01' },
  { source: 'web', trace: '00-1-2-01' },
  { user: 'u1' },
  { source: 'web', user: 'u1' },
];

test.each(origins)('an event that was not tried is read from its message and a short text: %j', (origin) => {
  const event = eventWith(origin);
  const text = textOf(event, 'r1', BODY.length);
  expect(text).toBe(JSON.stringify(['r1', ...URLS]));
  expect(isShort(text)).toBe(true);
  const message = decodeRecord(encodeRecord(event, BODY));
  expect(message.body).toEqual(BODY);
  expect(readText('m1', text, message)).toEqual({ event, text, ref: 'r1' });
});

const [urlA = '', urlB = ''] = URLS;
const attempt = { at: 1_500, durationMs: 20, result: 'server-error', status: 503 } as const;
const history = [attempt];
const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_500, attempts: 1, history } as const;

test.each<[string, StoredEvent]>([
  [
    'was tried',
    { ...eventWith({ source: 'web' }), urls: { [urlA]: retrying, [urlB]: { phase: 'delivered', at: 1_900, history } } },
  ],
  [
    'is dead',
    { ...eventWith(), isDead: true, urls: { [urlA]: { phase: 'dead', at: 2_000, reason: 'permanent', history } } },
  ],
  ['came after a deletion', { ...eventWith({ user: 'u1' }), epoch: 7 }],
  ['is ordered', { ...eventWith({ user: 'u1' }), isOrdered: true }],
  [
    'is ordered and dead',
    {
      ...eventWith({ user: 'u1' }),
      isOrdered: true,
      isDead: true,
      urls: { [urlA]: { phase: 'dead', at: 2_000, reason: 'permanent', history } },
    },
  ],
  ['is due at another time', { ...eventWith(), urls: newEvent('m1', 'track', URLS, 2_000).urls }],
])('an event that %s is read from its message and a text that says where each URL stands', (_, event) => {
  const text = textOf(event, 'r1', BODY.length);
  expect([isShort(text), refIn(event.id, text)]).toEqual([true, 'r1']);
  expect(text.length).toBeLessThan(JSON.stringify(event).length / 2);
  expect(readText('m1', text, decodeRecord(encodeRecord(event, BODY)))).toEqual({ event, text, ref: 'r1' });
});

test.each<[string, StoredEvent]>([
  ['has another size than its message', { ...eventWith(), bytes: 1 }],
  ['was tried', { ...eventWith(), bytes: 2, urls: { [urlA]: retrying } }],
])('an event that %s is told in full, and is read without its message', (_, event) => {
  const text = textOf(event, 'r1', BODY.length);
  expect(text).toBe(JSON.stringify({ ref: 'r1', ...event }));
  expect([isShort(text), refIn(event.id, text)]).toEqual([false, 'r1']);
  expect(readText('m1', text, undefined)).toEqual({ event, text, ref: 'r1' });
});

test('an event with a short text whose message is gone is gone', () => {
  expect(readText('m1', textOf(eventWith(), 'r1', BODY.length), undefined)).toBeUndefined();
});
