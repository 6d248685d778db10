import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { Messages } from '../../../src/store/redis/messages.js';
import { RedisClient } from '../../../src/store/redis/redis-client.js';
import { RedisEvents } from '../../../src/store/redis/redis-events.js';
import { RedisKeys } from '../../../src/store/redis/redis-keys.js';
import { encodeRecord, textOf } from '../../../src/store/redis/stored-text.js';

const BODY = Buffer.from('{}');
const keys = new RedisKeys('own:orders');

const eventOf = (id: string) => newEvent(id, 'track', ['https://a.example/'], 1_000, { bytes: BODY.length });
const dead = { ...eventOf('dead'), isDead: true };

/** What Redis holds, by key and field. */
const held: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  [keys.events]: {
    new: textOf(eventOf('new'), 'r1', BODY.length),
    dead: textOf(dead, 'r1'),
    old: textOf(eventOf('old'), undefined),
    lost: textOf(eventOf('lost'), 'r2', BODY.length),
  },
  [keys.bodies]: { old: Buffer.from('old') },
  '{own}:messages': { r1: encodeRecord(eventOf('new'), BODY) },
};

function open() {
  let asked = 0;
  const get = (key: string, field: string) => held[key]?.[field] ?? null;
  const redis = {
    hget: async (key: string, field: string) => get(key, field),
    hgetBuffer: async (key: string, field: string) => {
      asked++;
      return get(key, field);
    },
    hmget: async (key: string, ...fields: string[]) => fields.map((field) => get(key, field)),
  };
  const link = new RedisClient(redis as unknown as Redis);
  return { events: new RedisEvents(link, keys, new Messages(link, '{own}:')), messagesRead: () => asked };
}

test('events on Redis are read in the order asked for, with undefined for each that is gone', async () => {
  const reads = await open().events.readAll(['dead', 'none', 'new', 'lost', 'old']);
  expect(reads.map((read) => read?.event)).toEqual([dead, undefined, eventOf('new'), undefined, eventOf('old')]);
  expect(reads.map((read) => read?.ref)).toEqual(['r1', undefined, 'r1', undefined, undefined]);
});

test('no events are read from Redis without a question', async () => {
  const link = new RedisClient({} as Redis);
  expect(await new RedisEvents(link, keys, new Messages(link, '')).readAll([])).toEqual([]);
});

test('an event on Redis that is told in full is read without its message', async () => {
  const { events, messagesRead } = open();
  expect((await events.read('dead'))?.event).toEqual(dead);
  expect(messagesRead()).toBe(0);
});

test('a body on Redis is that of the message, or of the event where an earlier version kept one for each', async () => {
  const { events } = open();
  const bodies = await Promise.all(['new', 'dead', 'old', 'lost', 'none'].map((id) => events.body(id)));
  expect(bodies.map((body) => body && Buffer.from(body).toString())).toEqual(['{}', '{}', 'old', undefined, undefined]);
});
