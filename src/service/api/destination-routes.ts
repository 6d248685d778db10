import type { Context } from 'hono';
import { flag, required } from '../../base/options/check-options.js';
import type { SwitchName } from '../routing/destination-switches.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { callerOf, type Env, type Routes } from './admin-router.js';
import type { DestinationReport } from './answer-types.js';
import { listDestinations } from './destination-list.js';
import { deliveryErrorReport, destinationHistory } from './history-reports.js';
import { assertKnown, configuredDestination, holdingDestination } from './named-destination.js';
import { readFields } from './read-fields.js';
import { destinationReport } from './source-reports.js';
import { MOST_TEST_BYTES, TEST_FIELDS, testDestination } from './test-event.js';

/** The number of errors in an answer. */
const MOST_ERRORS = 20;

export function destinationRoutes(api: AdminApi): Routes<'/v1/destinations'> {
  const report = (managed: ManagedDestination) => destinationReport(managed, api);
  /** Writes everything recorded so far, and returns the name in the path. */
  const recordedOf = async (context: Context<Env, '/:name'>): Promise<string> => {
    const name = context.req.param('name');
    await assertKnown(api, name);
    await api.ledger.flush();
    return name;
  };
  /** Sets the switch of a destination to the value of the field that has the switch's name. */
  const set = async (
    context: Context<Env, '/:name'>,
    field: SwitchName,
    read: (managed: ManagedDestination) => boolean,
  ): Promise<DestinationReport> => {
    const managed = configuredDestination(api, context.req.param('name'));
    const { [field]: value = false } = await readFields<Record<string, boolean>>(context, { [field]: required(flag) });
    // Only the switch is read: a report would need the store, which may be failing just when somebody has to pause.
    context.set('before', read(managed));
    await api.switches.set(managed, field, value, callerOf(context));
    return report(managed);
  };
  return {
    'GET /v1/destinations': (_, query) => listDestinations(api, query),
    async 'GET /v1/destinations/:name'(context) {
      return report(holdingDestination(api, context.req.param('name')));
    },
    async 'GET /v1/destinations/:name/history'(context, { range = '1h' }) {
      const name = await recordedOf(context);
      return destinationHistory(api.storage.keyValues, { name, range, now: api.clock.wall() });
    },
    async 'GET /v1/destinations/:name/errors'(context) {
      const name = await recordedOf(context);
      return (await api.ledger.deliveryErrors.examples.of(name)).slice(0, MOST_ERRORS).map(deliveryErrorReport);
    },
    'PUT /v1/destinations/:name/paused': (context) => set(context, 'paused', ({ name }) => api.switches.isPaused(name)),
    async 'POST /v1/destinations/:name/test'(context) {
      const managed = configuredDestination(api, context.req.param('name'));
      return testDestination(managed, await readFields(context, TEST_FIELDS, MOST_TEST_BYTES), api.clock.wall());
    },
    'PUT /v1/destinations/:name/enabled': (context) => set(context, 'enabled', ({ isEnabled }) => isEnabled),
  };
}
