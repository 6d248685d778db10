import { flag, type Rules, required } from '../../base/options/check-options.js';
import { userIdProblem } from '../audiences/user-id-problem.js';
import { hasToName } from '../config/has-to-name.js';
import type { ServiceConfig } from '../config/service-config.js';
import { MOST_USERS } from '../deletions/deletions.js';
import { AUDIENCES } from '../routing/message-routes.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { readFields } from './read-fields.js';
import { refusals } from './refusals.js';
import type { DeletionRequest } from './requests.js';

/** Enough for as many users as one call may name, each with the longest id. */
const MAX_BYTES = 6 * 1024 * 1024;

const FIELDS: Rules<DeletionRequest> = {
  userIds: required({
    expected: `a list of 1 to ${MOST_USERS} user ids`,
    holds: (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_USERS,
  }),
  sources: {
    expected: 'a list of at least one name of a source, or "all"',
    holds: (value) => value === 'all' || (Array.isArray(value) && value.length > 0),
  },
  dryRun: flag,
};

export const deletionRoutes = ({ deletions, config }: AdminApi): Routes<'/v1/deletions'> => ({
  async 'POST /v1/deletions'(context) {
    const { userIds, dryRun = false, sources: given } = await readFields(context, FIELDS, MAX_BYTES);
    for (const [index, id] of userIds.entries()) {
      const problem = userIdProblem(id);
      if (problem !== undefined) throw refusals.invalidField(`userIds[${index}]`, problem.expected, id);
    }
    const sources = sourcesOf(given, config());
    context.set('isDryRun', dryRun);
    if (dryRun) return deletions.preview(userIds, sources);
    context.status(202);
    return deletions.request(userIds, sources);
  },
  'GET /v1/deletions': (_, { limit, after }) => deletions.list(limit, after),
  async 'GET /v1/deletions/:id'(context) {
    const report = await deletions.get(context.req.param('id'));
    if (report === undefined) throw refusals.unknown('deletion of this id');
    return report;
  },
});

/** Reads the sources that the deletion is limited to; undefined means all sources. */
function sourcesOf(sources: DeletionRequest['sources'], config: ServiceConfig): readonly string[] | undefined {
  if (sources === 'all' || (sources === undefined && !hasToName(config.destinations.length))) return undefined;
  if (sources === undefined) throw refusals.invalidField('sources', FIELDS.sources.expected, sources);
  const known = [...config.sources.map(({ name }) => name), AUDIENCES];
  const wrong = sources.findIndex((name) => !known.includes(name));
  if (wrong >= 0) throw refusals.invalidField(`sources[${wrong}]`, 'the name of a source', sources[wrong]);
  return sources;
}
