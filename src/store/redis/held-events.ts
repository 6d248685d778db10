import { IN_LINE, SHARED } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { MOST_DELIVERIES, partsByWeight } from './script-bounds.js';
import { ScriptCall } from './script-call.js';

/** An event that is looked for in a store. */
export interface HeldLook {
  readonly keys: RedisKeys;
  readonly id: string;
}

/**
 * Says of each of `looks` whether the store has the event or may have it, as a letter: `y` or `n`. A look has the event's `id`, the keys
 * of the store's `events` and `urls`, and those of each line that the process knows.
 */
const HELD = new Script(`
${SHARED}
${IN_LINE}
local kept = {}
local function isKept(id)
  if kept[id] == nil then kept[id] = redis.call('HEXISTS', messages, id) == 1 end
  return kept[id]
end
local function isHeld(look)
  if redis.call('HEXISTS', KEYS[look.events], look.id) == 1 then return true end
  if not isKept(look.id) then return false end
  -- The event may wait at a URL that the process does not know.
  if redis.call('HLEN', KEYS[look.urls]) > #look.first then return true end
  for i, first in ipairs(look.first) do
    if inLine(KEYS[first], KEYS[look.timed[i]], { look.id })[1] then return true end
  end
  return false
end
local answer = {}
for i, look in ipairs(call.looks) do answer[i] = isHeld(look) and 'y' or 'n' end
return table.concat(answer)
`);

/** Returns true for each event that its store has or may have. All stores are of one partition, so that one script looks for many. */
export async function heldEvents(
  link: RedisClient,
  messages: Messages,
  looks: readonly HeldLook[],
): Promise<readonly boolean[]> {
  const parts = partsByWeight(looks, MOST_DELIVERIES, ({ keys }) => Math.max(1, keys.known.length));
  const answers = await Promise.all(parts.map((part) => answerTo(link, messages, part)));
  return [...answers.join('')].map((letter) => letter === 'y');
}

async function answerTo(link: RedisClient, messages: Messages, looks: readonly HeldLook[]): Promise<string> {
  const script = new ScriptCall(messages.keys);
  const numbered = looks.map(({ keys, id }) => {
    const lines = keys.known.map((url) => keys.line(url));
    return {
      id,
      events: script.key(keys.events),
      urls: script.key(keys.urls),
      first: lines.map(({ first }) => script.key(first)),
      timed: lines.map(({ timed }) => script.key(timed)),
    };
  });
  return String(await script.run(link, HELD, { looks: numbered }));
}
