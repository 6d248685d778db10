import { shownUrl } from '../../destination/shown-url.js';
import { destinationHistory } from '../history/read-history.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { RemovedDestination } from './answers.js';
import { rangeOf, readFields } from './body.js';
import { deadLetterRoutes } from './dead-letter-routes.js';
import { isoOr } from './iso.js';
import { pageOf } from './list-page.js';
import { oldestWaiting } from './oldest-waiting.js';
import { refusals } from './refusals.js';
import { destinationReport } from './reports.js';
import type { Routes } from './router.js';
import { MOST_TEST_BYTES, testDestination } from './test-event.js';

export function destinationRoutes(api: AdminApi): Routes<'/v1/destinations'> {
  const managedOf = (name: string): ManagedDestination => {
    const managed = api.managedDestinations().get(name);
    if (managed === undefined) throw refusals.unknown('destination of this name');
    return managed;
  };
  const report = (managed: ManagedDestination) => destinationReport(managed, api);
  return {
    'GET /v1/destinations'(context) {
      const page = pageOf(context, [...api.managedDestinations().values()], ({ name }) => name);
      return Promise.all(page.map(report));
    },
    'GET /v1/destinations/:name': (context) => report(managedOf(context.req.param('name'))),
    async 'GET /v1/destinations/:name/history'(context) {
      const { name } = managedOf(context.req.param('name'));
      const range = rangeOf(context);
      await api.history.flush();
      return destinationHistory(api.keyValues, { name, range, now: api.now() });
    },
    async 'PUT /v1/destinations/:name/paused'(context) {
      const managed = managedOf(context.req.param('name'));
      const { paused } = await readFields(context);
      if (typeof paused !== 'boolean') throw refusals.invalidField('paused', 'true or false');
      await api.setPaused(managed, paused);
      return report(managed);
    },
    async 'POST /v1/destinations/:name/test'(context) {
      const managed = managedOf(context.req.param('name'));
      return testDestination(managed, await readFields(context, MOST_TEST_BYTES), api.now());
    },
    async 'PUT /v1/destinations/:name/enabled'(context) {
      const managed = managedOf(context.req.param('name'));
      const { enabled } = await readFields(context);
      if (typeof enabled !== 'boolean') throw refusals.invalidField('enabled', 'true or false');
      await api.setEnabled(managed, enabled);
      return report(managed);
    },
    ...deadLetterRoutes(api),
  };
}

/** What destinations have left that the configuration no longer has. Their letters are under `/v1/destinations`, as those of any other. */
export const removedDestinationRoutes = (api: AdminApi): Routes<'/v1/removed-destinations'> => ({
  async 'GET /v1/removed-destinations'(context) {
    const reports = [...api.removedDestinations().values()].map((managed) => reportOf(managed, api.now()));
    const left = (await Promise.all(reports)).filter(({ waiting, deadLetters }) => waiting + deadLetters > 0);
    return [...pageOf(context, left, ({ name }) => name)];
  },
});

const reportOf = async (
  { name, config, destination, store }: ManagedDestination,
  now: number,
): Promise<RemovedDestination> => ({
  name,
  webhooks: config.webhooks.map(({ id, url }) => ({ ...(id !== undefined && { id }), url: shownUrl(url) })),
  waiting: destination.waiting,
  oldestWaitingAt: isoOr(destination.waiting === 0 ? undefined : await oldestWaiting(store, now)),
  deadLetters: (await store.deadTotals()).events,
});
