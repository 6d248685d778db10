import { RedisFailedError } from '../store-errors.js';
import { IN_LINE, MESSAGE, SHARED } from './lua.js';
import type { Partition } from './partition.js';
import { Script } from './redis-client.js';
import type { LineKeys, RedisKeys } from './redis-keys.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import { ScriptCall, setsOf } from './script-call.js';
import { type ReadParts, readParts, StoredMessage } from './stored-text.js';
import { TurnBatch } from './turn-batch.js';

/** A store's event to find, and the lines of the store that the process knew when it asked. */
interface Search {
  readonly keys: RedisKeys;
  readonly id: string;
  readonly lines: readonly LineKeys[];
}

/**
 * Finds events and their messages. In `searches`, `events` and `urls` are keys of a store, and `lines` are those of each URL that
 * the process knows.
 *
 * Returns for each an error or these values: the event's own record; if there is none, the number of the URL whose line the event
 * is in, counted from 1, or 0 if it is in none of them; and the message's record. If the event is in none of the lines, the record
 * is empty, and a fourth value lists all URLs of the store.
 */
const FIND = new Script(`
${SHARED}
${MESSAGE}
${IN_LINE}
local function find(search)
  local text = redis.call('HGET', KEYS[search.events], search.id)
  local record = redis.call('HGET', messages, refOf(text, search.id))
  if text or not record then return { text, 0, record } end
  for i, line in ipairs(search.lines) do
    if inLine(KEYS[line.first], KEYS[line.timed], { search.id }, { placeIn(record) })[1] then return { false, i, record } end
  end
  return { false, 0, '', redis.call('HVALS', KEYS[search.urls]) }
end
local answer = {}
for i, search in ipairs(call.searches) do
  local isDone, found = pcall(find, search)
  answer[i] = isDone and found or redis.error_reply(type(found) == 'table' and found.err or found)
end
return answer
`);

type Found = readonly [text: Buffer | null, place: number, record: Buffer | null, urls?: readonly Buffer[]];

/** Reads events of one partition, and their bodies. Events that are read in one turn of the event loop share as few scripts as possible. */
export class RedisEvents {
  readonly #turn: TurnBatch<Search, Found>;

  constructor(partition: Partition) {
    const weightOf = ({ lines }: Search): number => Math.max(1, lines.length);
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, weightOf }, async (searches) => {
      const script = new ScriptCall(partition.keys);
      const described = searches.map(({ keys, id, lines }) => ({
        id,
        events: script.key(keys.events),
        urls: script.key(keys.urls),
        lines: lines.map((line) => setsOf(line, script)),
      }));
      // The script returns this shape.
      const answer = await script.run(partition.link, FIND, { searches: described }, { inBytes: true });
      return (answer as (Found | Error)[]).map((each) => (each instanceof Error ? new RedisFailedError(each) : each));
    });
  }

  /**
   * Finds an event. The URLs that the process knows are tried first, because a failover may have lost those in Redis and most
   * events are at known URLs.
   */
  async read(keys: RedisKeys, id: string): Promise<ReadParts | undefined> {
    for (;;) {
      const { lines } = keys;
      const [text, place, record, urls] = await this.#turn.ask({ keys, id, lines });
      for (const each of urls ?? []) keys.line(each.toString());
      if (urls !== undefined && keys.lines.length > lines.length) continue;
      const url = lines[place - 1]?.url;
      const message = record === null ? undefined : new StoredMessage(record);
      return readParts({ id, text: text?.toString(), url, message });
    }
  }
}
