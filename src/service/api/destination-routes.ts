import { Hono } from 'hono';
import { sourcedId } from '../../delivery/event-id.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { readFields } from './body.js';
import { deadLetterRoutes } from './dead-letter-routes.js';
import type { Env } from './env.js';
import { refusals } from './refusals.js';
import { destinationReport, explanationReport } from './reports.js';

export function destinationRoutes(api: AdminApi): Hono<Env> {
  const routes = new Hono<Env>();
  const managedOf = (name: string): ManagedDestination => {
    const managed = api.managedDestinations().get(name);
    if (managed === undefined) throw refusals.unknown('destination of this name');
    return managed;
  };
  const report = (managed: ManagedDestination) => destinationReport(managed, api.config().sources);
  routes.get('/', async ({ json }) => json(await Promise.all([...api.managedDestinations().values()].map(report))));
  routes.put('/:name/enabled', async (context) => {
    const managed = managedOf(context.req.param('name'));
    const { enabled } = await readFields(context);
    if (typeof enabled !== 'boolean') throw refusals.invalidField('enabled', 'true or false');
    await api.setEnabled(managed, enabled);
    return context.json(await report(managed));
  });
  routes.route('/', deadLetterRoutes(api, managedOf));
  return routes;
}

/** Where a message stands: at each destination that knows it, under its id, or its id with its source before it. */
export function deliveryRoutes(api: AdminApi): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/:id', async (context) => {
    const id = context.req.param('id');
    const ids = [id, ...api.config().sources.map(({ name }) => sourcedId(id, name))];
    const found = await Promise.all(
      [...api.managedDestinations().values()].flatMap(({ name, destination }) =>
        ids.map(async (each) => {
          const explanation = await destination.explain(each);
          return explanation === undefined ? [] : [explanationReport(name, explanation)];
        }),
      ),
    );
    if (found.flat().length === 0)
      throw refusals.unknown('delivery of this id: it was delivered and forgotten, or never came');
    return context.json(found.flat());
  });
  return routes;
}
