import type { RedisClient } from './redis-client.js';
import { Script } from './redis-client.js';
import { ScriptCall } from './script-call.js';

/** The keys are in one partition and used by nothing else. The first one stays for a while, so `check()` finds it at replicas. */
const keysIn = (tag: string): readonly [string, string, string] => [
  markOf(tag),
  `{${tag}}:check:hash`,
  `{${tag}}:check:set`,
];

/** The key that a probe writes. */
export const markOf = (tag: string): string => `{${tag}}:check`;

/** How long that key exists, in ms. */
const MARK_MS = 60_000;

/**
 * Runs every command of the other scripts once. Those would start to write before they reach a command that the server's user may
 * not run, so this script finds such a command first, and names it.
 */
const PROBE = new Script(`
local mark, hash, set = KEYS[1], KEYS[2], KEYS[3]
local commands = {
  { 'TIME' }, { 'SET', mark, '1', 'PX', ${MARK_MS} }, { 'GET', mark }, { 'MGET', mark }, { 'STRLEN', mark }, { 'EXISTS', mark },
  { 'HSET', hash, 'a', 1 }, { 'HINCRBY', hash, 'a', 1 }, { 'HGET', hash, 'a' }, { 'HMGET', hash, 'a' },
  { 'HEXISTS', hash, 'a' }, { 'HLEN', hash }, { 'HGETALL', hash }, { 'HDEL', hash, 'a' },
  { 'ZADD', set, 'LT', 1, 'a' }, { 'ZADD', set, 1, 'b' }, { 'ZSCORE', set, 'a' }, { 'ZMSCORE', set, 'a' }, { 'ZCARD', set },
  { 'ZCOUNT', set, 0, 1 }, { 'ZRANGE', set, 0, 1 }, { 'ZRANGEBYSCORE', set, 0, 1 }, { 'ZREVRANGEBYSCORE', set, 1, 0 },
  { 'ZRANGEBYLEX', set, '-', '+' }, { 'ZREM', set, 'a' }, { 'ZPOPMIN', set, 1 }, { 'DEL', hash, set },
}
for _, command in ipairs(commands) do
  local answer = redis.pcall(unpack(command))
  if type(answer) == 'table' and answer.err then return redis.error_reply(command[1] .. ': ' .. answer.err) end
end
`);

/**
 * Checks that the server accepts writes, and that its user may run all commands that are needed.
 *
 * @throws RedisFailedError which names the command
 */
export async function probePermissions(link: RedisClient, tag: string): Promise<void> {
  await new ScriptCall(keysIn(tag)).run(link, PROBE, {});
}
