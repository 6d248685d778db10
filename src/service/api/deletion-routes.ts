import { userIdProblem } from '../audiences/user-id-problem.js';
import { hasToName } from '../config/has-to-name.js';
import type { ServiceConfig } from '../config/service-config.js';
import { MOST_USERS } from '../deletions/deletions.js';
import { AUDIENCES } from '../routing/message-routes.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { type BodyFields, checkKnown, readFields } from './read-fields.js';
import { refusals } from './refusals.js';

/** Enough for as many users as one call may name, each with the longest id. */
const MAX_BYTES = 6 * 1024 * 1024;

export const deletionRoutes = ({ deletions, config }: AdminApi): Routes<'/v1/deletions'> => ({
  async 'POST /v1/deletions'(context) {
    const fields = await readFields(context, MAX_BYTES);
    // If a misspelt `sources` were ignored, the users would be deleted everywhere, for good.
    checkKnown(fields, ['userIds', 'sources', 'dryRun']);
    const users = userIdsOf(fields);
    const sources = sourcesOf(fields, config());
    const { dryRun = false } = fields;
    if (typeof dryRun !== 'boolean') throw refusals.invalidField('dryRun', 'true or false', dryRun);
    context.set('isDryRun', dryRun);
    if (dryRun) return deletions.preview(users, sources);
    context.status(202);
    return deletions.request(users, sources);
  },
  'GET /v1/deletions': (_, { limit, after }) => deletions.list(limit, after),
  async 'GET /v1/deletions/:id'(context) {
    const report = await deletions.get(context.req.param('id'));
    if (report === undefined) throw refusals.unknown('deletion of this id');
    return report;
  },
});

function userIdsOf({ userIds }: BodyFields): string[] {
  const isList = Array.isArray(userIds) && userIds.length >= 1 && userIds.length <= MOST_USERS;
  if (!isList) throw refusals.invalidList('userIds', `a list of 1 to ${MOST_USERS} user ids`, userIds);
  for (const [index, id] of userIds.entries()) {
    const problem = userIdProblem(id);
    if (problem !== undefined) throw refusals.invalidField(`userIds[${index}]`, problem.expected, id);
  }
  return userIds;
}

/** Reads the sources that the deletion is limited to; undefined means all sources. */
function sourcesOf({ sources }: BodyFields, config: ServiceConfig): readonly string[] | undefined {
  if (sources === 'all' || (sources === undefined && !hasToName(config.destinations.length))) return undefined;
  if (!Array.isArray(sources) || sources.length === 0)
    throw refusals.invalidList('sources', 'a list of at least one name of a source, or "all"', sources);
  const known = [...config.sources.map(({ name }) => name), AUDIENCES];
  const wrong = sources.findIndex((name) => !known.includes(name));
  if (wrong >= 0) throw refusals.invalidField(`sources[${wrong}]`, 'the name of a source', sources[wrong]);
  return sources;
}
