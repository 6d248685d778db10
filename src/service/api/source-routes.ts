import { sourceHistory } from '../history/read-history.js';
import { eventCounts, lastHour, MOST_HOURS } from '../ingest/read-counts.js';
import type { AdminApi } from './admin-api.js';
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
  keyValues,
  now,
}: AdminApi): Routes<'/v1/sources'> {
  const nameIn = ({ req }: { readonly req: { param(name: 'name'): string } }): string => {
    const name = req.param('name');
    if (config().sources.some((source) => source.name === name)) return name;
    throw refusals.unknown('source of this name');
  };
  return {
    async 'GET /v1/sources'(context) {
      await counts.flush();
      const sources = pageOf(context, config().sources, ({ name }) => name);
      return Promise.all(
        sources.map(async (source) => sourceReport(source, await lastHour(keyValues, source.name, now()), violations)),
      );
    },
    async 'GET /v1/sources/:name/history'(context) {
      const name = nameIn(context);
      const range = rangeOf(context);
      await counts.flush();
      await history.flush();
      return sourceHistory(keyValues, { name, range, now: now() });
    },
    'GET /v1/sources/:name/rejections': (context) => rejections.of(nameIn(context)),
    'GET /v1/sources/:name/violations': (context) => violations.of(nameIn(context)),
    async 'GET /v1/sources/:name/counts'(context) {
      const name = nameIn(context);
      const hours = integerOf(context, 'hours', { from: 1, to: MOST_HOURS, otherwise: 24 });
      await counts.flush();
      return eventCounts(keyValues, name, hours, now());
    },
  };
}
