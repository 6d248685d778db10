import type { Context } from 'hono';
import { readEvents } from '../../ledger/counts/read-counts.js';
import type { SourceConfig } from '../config/service-config.js';
import type { AdminApi } from './admin-api.js';
import type { Env, Routes } from './admin-router.js';
import type { HourTotals } from './history-answers.js';
import { rejectionReport, sourceHistory, violationReport } from './history-reports.js';
import { inSlices } from './in-slices.js';
import { foundBy, pageOf } from './list-page.js';
import { refusals } from './refusals.js';
import { sourceReport } from './source-reports.js';

export function sourceRoutes({ config, ledger, storage, clock }: AdminApi): Routes<'/v1/sources'> {
  /** Returns the name in the path, once everything that was counted so far is written. */
  const recordedOf = async ({ req }: Context<Env, '/:name'>): Promise<string> => {
    const name = req.param('name');
    if (!config().sources.some((source) => source.name === name)) throw refusals.unknown('source of this name');
    await ledger.flush();
    return name;
  };
  return {
    async 'GET /v1/sources'(_, query) {
      await ledger.flush();
      const all = config().sources;
      const totalsOf = async ({ name }: SourceConfig) => [name, await ledger.lastHours.ofSource(name)] as const;
      const totals = new Map(await inSlices(all, AT_ONCE, (some) => Promise.all(some.map(totalsOf))));
      const { q, sort } = query;
      const found = foundBy(q, all, ({ name, destinations }) => [name, ...destinations]);
      const compare = (one: SourceConfig, other: SourceConfig): number =>
        (sort === 'name' ? 0 : countOf(totals, other, sort) - countOf(totals, one, sort)) ||
        one.name.localeCompare(other.name);
      const sorted = sort === undefined ? found : found.toSorted(compare);
      const sources = pageOf(query, sorted, ({ name }) => name).map((source) =>
        sourceReport(source, totals.get(source.name) ?? NOTHING, ledger.violations),
      );
      return { sources, found: found.length, lastHour: [...totals.values()].reduce(sum, NOTHING) };
    },
    async 'GET /v1/sources/:name/history'(context, { range = '1h' }) {
      const name = await recordedOf(context);
      return sourceHistory(storage.keyValues, { name, range, now: clock.wall() });
    },
    async 'GET /v1/sources/:name/rejections'(context) {
      const name = await recordedOf(context);
      return (await ledger.rejections.examples.of(name)).map(rejectionReport);
    },
    async 'GET /v1/sources/:name/violations'(context) {
      const name = await recordedOf(context);
      return (await ledger.violations.examples.of(name)).map(violationReport);
    },
    async 'GET /v1/sources/:name/counts'(context, { hours = 24 }) {
      const name = await recordedOf(context);
      const counts = await readEvents(storage.keyValues, name, hours, clock.wall());
      return counts.map(({ event, ...rest }) => ({ ...rest, event: event === '' ? null : event }));
    },
  };
}

const countOf = (totals: ReadonlyMap<string, HourTotals>, { name }: SourceConfig, of: keyof HourTotals = 'received') =>
  totals.get(name)?.[of] ?? 0;

/** The number of sources whose totals are read at a time. */
const AT_ONCE = 50;

const NOTHING: HourTotals = { received: 0, rejected: 0, blocked: 0, forwarded: 0 };

const sum = (one: HourTotals, other: HourTotals): HourTotals => ({
  received: one.received + other.received,
  rejected: one.rejected + other.rejected,
  blocked: one.blocked + other.blocked,
  forwarded: one.forwarded + other.forwarded,
});
