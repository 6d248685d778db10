import { Hono } from 'hono';
import { sourcedId } from '../../destination/event-id.js';
import type { Outlet } from '../routing/outlet.js';
import type { Env } from './app.js';
import { readFields } from './body.js';
import { deadLetterRoutes } from './dead-letter-routes.js';
import type { Desk } from './desk.js';
import { refusals } from './refusals.js';
import { destinationReport, explanationReport } from './reports.js';

export function destinationRoutes(desk: Desk): Hono<Env> {
  const routes = new Hono<Env>();
  const outletOf = (name: string): Outlet => {
    const outlet = desk.outlets().get(name);
    if (outlet === undefined) throw refusals.unknown('destination of this name');
    return outlet;
  };
  const report = (outlet: Outlet) => destinationReport(outlet, desk.config().sources);
  routes.get('/', async ({ json }) => json(await Promise.all([...desk.outlets().values()].map(report))));
  routes.put('/:name/enabled', async (context) => {
    const outlet = outletOf(context.req.param('name'));
    const { enabled } = await readFields(context);
    if (typeof enabled !== 'boolean') throw refusals.invalidField('enabled', 'true or false');
    await desk.switchOutlet(outlet, enabled);
    return context.json(await report(outlet));
  });
  routes.route('/', deadLetterRoutes(desk, outletOf));
  return routes;
}

/** Where a message stands: at each destination that knows it, under its id, or its id with its source before it. */
export function deliveryRoutes(desk: Desk): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/:id', async (context) => {
    const id = context.req.param('id');
    const ids = [id, ...desk.config().sources.map(({ name }) => sourcedId(id, name))];
    const found = await Promise.all(
      [...desk.outlets().values()].flatMap(({ name, destination }) =>
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
