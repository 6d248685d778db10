import { entriesOf, type KeyValue, type KeyValueStore } from '../../store/key-value-store.js';
import { jobIdAt, jobTime } from './job-runner.js';

export interface NewestQuery {
  readonly limit: number;
  /** Only values older than this id are returned. @default none: the newest of all */
  readonly before: string | undefined;
  /** In ms since 1970. */
  readonly now: number;
}

/** The search begins with the last minute, and each further step goes back eight times as far. */
const FIRST_SPAN_MS = 60_000;
const SPAN_FACTOR = 8;

/** Returns the values whose keys are the prefix and an id of `jobIdAt`, newest first. It reads no more of them than it has to. */
export async function newest(
  keyValues: KeyValueStore,
  prefix: string,
  { limit, before, now }: NewestQuery,
): Promise<string[]> {
  const latest = before === undefined ? now : jobTime(before);
  const end = before && prefix + before;
  for (let spanMs = FIRST_SPAN_MS; ; spanMs *= SPAN_FACTOR) {
    const isAll = spanMs >= latest;
    const from = isAll ? undefined : prefix + jobIdAt(latest - spanMs, '');
    const values = await lastOf(entriesOf(keyValues, prefix, from), end, limit);
    if (isAll || values.length === limit) return values.reverse();
  }
}

/** Returns the last values before the key `end`, in order. */
async function lastOf(entries: AsyncIterable<KeyValue>, end: string | undefined, limit: number): Promise<string[]> {
  const values: string[] = [];
  for await (const { key, value } of entries) {
    if (end !== undefined && key >= end) break;
    values.push(value);
    if (values.length > limit) values.shift();
  }
  return values;
}
