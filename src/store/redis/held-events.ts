import { HOLDS, SHARED } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { MOST_DELIVERIES, partsByWeight } from './script-bounds.js';
import { ScriptCall, setsOf } from './script-call.js';

/** An event to look for in a store. */
export interface HeldLook {
  readonly keys: RedisKeys;
  readonly id: string;
}

/** Returns for each of `looks`, as a letter, `n` if the store does not have the event, otherwise `y`. */
const HELD = new Script(`
${SHARED}
${HOLDS}
local answer = {}
for i, look in ipairs(call.looks) do answer[i] = holds(look.events, look.urls, look.lines, look.id) and 'y' or 'n' end
return table.concat(answer)
`);

/** Returns true for each event that its store has or may have. All stores must be in one partition. */
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
  const numbered = looks.map(({ keys, id }) => ({
    id,
    events: script.key(keys.events),
    urls: script.key(keys.urls),
    lines: keys.known.map((url) => setsOf(keys.line(url), script)),
  }));
  return String(await script.run(link, HELD, { looks: numbered }));
}
