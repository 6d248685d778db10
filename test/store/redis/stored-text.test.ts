import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import { encodeRecord, readParts, StoredMessage, textOf } from '../../../src/store/redis/stored-text.js';

const URLS = ['https://a.example/', 'https://b.example/'];
const BODY = Buffer.from('{"text":"one\\ntwo"}\n');

const eventWith = (origin: { source?: string; trace?: string; user?: string } = {}): StoredEvent =>
  newEvent('m1', 'track', URLS, 1_000, { ...origin, bytes: BODY.length });

/** Reads a record of the event together with its message. */
const read = (event: StoredEvent, text: string) =>
  readParts({ id: 'm1', text, url: undefined, message: new StoredMessage(encodeRecord(event, BODY)) });

const origins = [
  {},
  { source: 'web' },
  { trace: '00-1-2-01' },
  { source: 'web', trace: '00-1-2-01' },
  { user: 'u1' },
  { source: 'web', user: 'u1' },
];

test.each(origins)('an untried event is read from its message and a short text: %j', (origin) => {
  const event = eventWith(origin);
  const text = textOf(event, 'r1');
  expect(text).toBe(JSON.stringify(['r1', ...URLS]));
  expect(read(event, text)).toEqual({ read: { event, text, ref: 'r1' }, body: BODY });
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
])('an event that %s is read from its message and a text with the state of each URL', (_, event) => {
  const text = textOf(event, 'r1');
  expect(text.length).toBeLessThan(JSON.stringify(event).length / 2);
  expect(read(event, text)).toEqual({ read: { event, text, ref: 'r1' }, body: BODY });
});

test("the size of an event is that of its message's body, whatever size was stored", () => {
  const text = textOf({ ...eventWith(), bytes: 1 }, 'r1');
  expect(read(eventWith(), text)?.read.event.bytes).toBe(BODY.length);
});

test('an event whose message is gone does not exist', () => {
  const text = textOf(eventWith(), 'r1');
  expect(readParts({ id: 'm1', text, url: undefined, message: undefined })).toBeUndefined();
});

test.each([
  ['state', { text: '["r1",["https://a', record: encodeRecord(eventWith(), BODY) }],
  ['state', { text: '7', record: encodeRecord(eventWith(), BODY) }],
  ['message', { text: textOf(eventWith(), 'r1'), record: Buffer.from('["track"') }],
])('an event whose %s was cut or replaced cannot be read, and the error says so', (part, { text, record }) => {
  const reading = () => readParts({ id: 'm1', text, url: undefined, message: new StoredMessage(record) });
  expect(reading).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_STORE_RECORD', message: expect.stringContaining(part) }),
  );
});
