import { Hono } from 'hono';
import { eventCounts, lastHour, MOST_HOURS } from '../ingest/read-counts.js';
import type { AdminApi } from './admin-api.js';
import { integerOf } from './body.js';
import type { Env } from './env.js';
import { refusals } from './refusals.js';
import { sourceReport } from './reports.js';

export function sourceRoutes({ config, counts, keyValues, now }: AdminApi): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', async ({ json }) => {
    await counts.flush();
    const { sources } = config();
    return json(
      await Promise.all(
        sources.map(async (source) => sourceReport(source, await lastHour(keyValues, source.name, now()))),
      ),
    );
  });
  routes.get('/:name/counts', async (context) => {
    const name = context.req.param('name');
    if (!config().sources.some((source) => source.name === name)) throw refusals.unknown('source of this name');
    const hours = integerOf(context, 'hours', { from: 1, to: MOST_HOURS, otherwise: 24 });
    await counts.flush();
    return context.json(await eventCounts(keyValues, name, hours, now()));
  });
  return routes;
}
