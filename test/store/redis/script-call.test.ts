import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { RedisClient, Script } from '../../../src/store/redis/redis-client.js';
import { ScriptCall } from '../../../src/store/redis/script-call.js';

const SCRIPT = new Script('return 1');

/** Runs the call, and returns the keys and arguments that Redis receives. */
async function sent(call: ScriptCall, args: object): Promise<unknown[]> {
  const got: unknown[] = [];
  const redis = { call: async (...command: unknown[]) => void got.push(...command.slice(2)) };
  await call.run(new RedisClient(redis as unknown as Redis), SCRIPT, args);
  return got;
}

test('each key of a script is sent once and has one number, counted from 1 as in Lua, after the expected first keys', async () => {
  const call = new ScriptCall(['messages', 'references']);
  expect(['references', 'events', 'urls', 'events'].map((key) => call.key(key))).toEqual([2, 3, 4, 3]);
  expect(await sent(call, {})).toEqual([4, 'messages', 'references', 'events', 'urls', '{}']);
});

test('the arguments of a script are sent as one JSON text, followed by each record separately', async () => {
  const call = new ScriptCall([]);
  expect([Buffer.from([0xff]), Buffer.from('b')].map((record) => call.record(record))).toEqual([2, 3]);
  const args = { groups: [{ id: 'a"\0é', was: undefined }] };
  expect(await sent(call, args)).toEqual([
    0,
    '{"groups":[{"id":"a\\"\\u0000é"}]}',
    Buffer.from([0xff]),
    Buffer.from('b'),
  ]);
});

test('a lone surrogate in an argument is replaced as in UTF-8, and a pair stays', async () => {
  const [, json] = await sent(new ScriptCall([]), { id: 'a\ud800b\ud83d\ude00', text: '\\ud800' });
  expect(JSON.parse(String(json))).toEqual({ id: 'a\ufffdb\ud83d\ude00', text: '\\ud800' });
});
