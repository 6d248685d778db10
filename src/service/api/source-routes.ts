import { setImmediate } from 'node:timers/promises';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { SourceConfig } from '../config/config.js';
import { sourceHistory } from '../history/read-history.js';
import { eventCounts, lastHour, MOST_HOURS } from '../ingest/read-counts.js';
import type { AdminApi } from './admin-api.js';
import type { HourTotals } from './answers.js';
import { integerOf, rangeOf } from './body.js';
import { pageOf } from './list-page.js';
import { refusals } from './refusals.js';
import { sourceReport } from './reports.js';
import type { Routes } from './router.js';

export function sourceRoutes({
  config,
  counts,
  history,
  rejections,
  violations,
  storage,
  clock,
}: AdminApi): Routes<'/v1/sources'> {
  const nameIn = ({ req }: { readonly req: { param(name: 'name'): string } }): string => {
    const name = req.param('name');
    if (config().sources.some((source) => source.name === name)) return name;
    throw refusals.unknown('source of this name');
  };
  return {
    async 'GET /v1/sources'(context) {
      await counts.flush();
      const needle = (context.req.query('q') ?? '').trim().toLowerCase();
      const all = config().sources;
      const totals = await lastHours(storage.keyValues, all, clock.wall());
      const found = all.filter((source) => isFoundBy(needle, source));
      const sources = pageOf(context, found, ({ name }) => name).map((source) =>
        sourceReport(source, totals.get(source.name) ?? NOTHING, violations),
      );
      return { sources, found: found.length, lastHour: [...totals.values()].reduce(sum, NOTHING) };
    },
    async 'GET /v1/sources/:name/history'(context) {
      const name = nameIn(context);
      const range = rangeOf(context);
      await counts.flush();
      await history.flush();
      return sourceHistory(storage.keyValues, { name, range, now: clock.wall() });
    },
    'GET /v1/sources/:name/rejections': (context) => rejections.of(nameIn(context)),
    'GET /v1/sources/:name/violations': (context) => violations.of(nameIn(context)),
    async 'GET /v1/sources/:name/counts'(context) {
      const name = nameIn(context);
      const hours = integerOf(context, 'hours', { from: 1, to: MOST_HOURS, otherwise: 24 });
      await counts.flush();
      return eventCounts(storage.keyValues, name, hours, clock.wall());
    },
  };
}

const isFoundBy = (needle: string, { name, destinations }: SourceConfig): boolean =>
  [name, ...destinations].some((each) => each.toLowerCase().includes(needle));

/** The loop yields after this many sources, so that other requests have their turn. */
const AT_ONCE = 50;

async function lastHours(
  keyValues: KeyValueStore,
  sources: readonly SourceConfig[],
  now: number,
): Promise<ReadonlyMap<string, HourTotals>> {
  const totals = new Map<string, HourTotals>();
  for (let from = 0; from < sources.length; from += AT_ONCE) {
    if (from > 0) await setImmediate();
    const some = sources.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map(({ name }) => lastHour(keyValues, name, now)));
    for (const [index, { name }] of some.entries()) totals.set(name, read[index] ?? NOTHING);
  }
  return totals;
}

const NOTHING: HourTotals = { received: 0, rejected: 0, blocked: 0, forwarded: 0 };

const sum = (one: HourTotals, other: HourTotals): HourTotals => ({
  received: one.received + other.received,
  rejected: one.rejected + other.rejected,
  blocked: one.blocked + other.blocked,
  forwarded: one.forwarded + other.forwarded,
});
