import { eventCounts, lastHour, MOST_HOURS } from '../ingest/read-counts.js';
import type { AdminApi } from './admin-api.js';
import { integerOf } from './body.js';
import { refusals } from './refusals.js';
import { sourceReport } from './reports.js';
import type { Routes } from './router.js';

export const sourceRoutes = ({ config, counts, keyValues, now }: AdminApi): Routes<'/v1/sources'> => ({
  async 'GET /v1/sources'() {
    await counts.flush();
    const { sources } = config();
    return Promise.all(
      sources.map(async (source) => sourceReport(source, await lastHour(keyValues, source.name, now()))),
    );
  },
  async 'GET /v1/sources/:name/counts'(context) {
    const name = context.req.param('name');
    if (!config().sources.some((source) => source.name === name)) throw refusals.unknown('source of this name');
    const hours = integerOf(context, 'hours', { from: 1, to: MOST_HOURS, otherwise: 24 });
    await counts.flush();
    return eventCounts(keyValues, name, hours, now());
  },
});
