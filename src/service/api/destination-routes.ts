import { destinationHistory } from '../history/read-history.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { rangeOf, readFields } from './body.js';
import { listDestinations } from './destination-list.js';
import { refusals } from './refusals.js';
import { destinationReport } from './reports.js';
import type { Routes } from './router.js';
import { MOST_TEST_BYTES, testDestination } from './test-event.js';

export function destinationRoutes(api: AdminApi): Routes<'/v1/destinations'> {
  const managedOf = (name: string): ManagedDestination => {
    const managed = api.managedDestinations.byName.get(name);
    if (managed === undefined) throw refusals.unknown('destination of this name');
    return managed;
  };
  const report = (managed: ManagedDestination) => destinationReport(managed, api);
  return {
    'GET /v1/destinations': (context) => listDestinations(api, context),
    async 'GET /v1/destinations/:name'(context) {
      const name = context.req.param('name');
      return report(api.managedDestinations.removed.get(name) ?? managedOf(name));
    },
    async 'GET /v1/destinations/:name/history'(context) {
      const { name } = managedOf(context.req.param('name'));
      const range = rangeOf(context);
      await api.history.flush();
      return destinationHistory(api.storage.keyValues, { name, range, now: api.clock.wall() });
    },
    async 'PUT /v1/destinations/:name/paused'(context) {
      const managed = managedOf(context.req.param('name'));
      const { paused } = await readFields(context);
      if (typeof paused !== 'boolean') throw refusals.invalidField('paused', 'true or false', paused);
      await api.pauses.set(managed, paused);
      return report(managed);
    },
    async 'POST /v1/destinations/:name/test'(context) {
      const managed = managedOf(context.req.param('name'));
      return testDestination(managed, await readFields(context, MOST_TEST_BYTES), api.clock.wall());
    },
    async 'PUT /v1/destinations/:name/enabled'(context) {
      const managed = managedOf(context.req.param('name'));
      const { enabled } = await readFields(context);
      if (typeof enabled !== 'boolean') throw refusals.invalidField('enabled', 'true or false', enabled);
      await api.overrides.set(managed, enabled);
      return report(managed);
    },
  };
}
