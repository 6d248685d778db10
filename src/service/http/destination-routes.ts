import { Hono } from 'hono';
import type { DeadLetterFilter } from '../../destination/dead-letters.js';
import { sourcedId } from '../../destination/event-id.js';
import type { Outlet } from '../routing/outlet.js';
import type { Env } from './app.js';
import { type Fields, integerOf, readFields, textOf } from './body.js';
import { countDeadLetters, listDeadLetters } from './dead-letters.js';
import type { Desk } from './desk.js';
import { refusals } from './refusals.js';
import { destinationReport, explanationReport } from './reports.js';
import { MOST_ID_BYTES } from './target-limits.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'] as const;

const MOST_LETTERS = 500;

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
  routes.get('/:name/dead-letters', async (context) => {
    const outlet = outletOf(context.req.param('name'));
    const limit = integerOf(context, 'limit', { from: 1, to: MOST_LETTERS, otherwise: 50 });
    const filter = queryFilter(context.req.query());
    return context.json(await listDeadLetters(outlet.store, { ...filter, limit, cursor: context.req.query('after') }));
  });
  routes.get('/:name/dead-letters/count', async (context) => {
    const { store } = outletOf(context.req.param('name'));
    return context.json({ deliveries: await countDeadLetters(store, queryFilter(context.req.query())) });
  });
  for (const act of ['replay', 'discard'] as const) {
    routes.post(`/:name/${act}`, async (context) => {
      const { destination } = outletOf(context.req.param('name'));
      const filter = fieldsFilter(await readFields(context));
      return context.json({ deliveries: await destination[act](filter) });
    });
  }
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

function queryFilter({ endpoint, type }: Record<string, string>): DeadLetterFilter {
  const known = TYPES.find((name) => name === type);
  if (type !== undefined && type !== '' && known === undefined)
    throw refusals.invalidQuery('type', `one of ${TYPES.join(', ')}`);
  return { endpoint: webhookName(endpoint), type: known };
}

/** Which letters a body means. All of them only when it says so: one that was left empty by mistake means none. */
function fieldsFilter(fields: Fields): DeadLetterFilter {
  const unknown = Object.keys(fields).find((name) => !['id', 'endpoint', 'type', 'all'].includes(name));
  if (unknown !== undefined) throw refusals.invalidField(unknown, 'one of id, endpoint, type, all');
  const [id, endpoint, type] = ['id', 'endpoint', 'type'].map((name) => textOf(fields, name));
  const known = TYPES.find((name) => name === type);
  if (type !== undefined && known === undefined) throw refusals.invalidField('type', `one of ${TYPES.join(', ')}`);
  if (Buffer.byteLength(id ?? '') > MOST_ID_BYTES)
    throw refusals.invalidField('id', `text of at most ${MOST_ID_BYTES} bytes`);
  if (fields['all'] !== undefined && fields['all'] !== true) throw refusals.invalidField('all', 'true');
  if (fields['all'] === undefined && id === undefined && endpoint === undefined && type === undefined) {
    throw refusals.invalidField('all', 'true, and no `id`, `endpoint` or `type` is there');
  }
  return { id, endpoint: webhookName(endpoint), type: known };
}

/** As a destination names its webhooks: `https://example.com` is `https://example.com/`. */
function webhookName(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return undefined;
  return URL.canParse(url) ? new URL(url).href : url;
}
