import { userIdProblem } from '../audiences/user-id-problem.js';
import { MOST_USERS } from '../deletions/deletions.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { checkKnown, type Fields, readFields } from './read-fields.js';
import { refusals } from './refusals.js';

/** Room for as many users as one call may name, with the longest ids. */
const MAX_BYTES = 6 * 1024 * 1024;

export const deletionRoutes = ({ deletions, config }: AdminApi): Routes<'/v1/deletions'> => ({
  async 'POST /v1/deletions'(context) {
    const fields = await readFields(context, MAX_BYTES);
    // A misspelt `sources` would delete the users everywhere, for good.
    checkKnown(fields, ['userIds', 'sources']);
    const users = userIdsOf(fields);
    const sources = sourcesOf(
      fields,
      config().sources.map(({ name }) => name),
    );
    const { id, users: count, notifications, status } = await deletions.request(users, sources);
    context.status(202);
    return { id, users: count, notifications, status };
  },
  'GET /v1/deletions': (_, { limit, after }) => deletions.list(limit, after),
  async 'GET /v1/deletions/:id'(context) {
    const report = await deletions.get(context.req.param('id'));
    if (report === undefined) throw refusals.unknown('deletion of this id');
    return report;
  },
});

function userIdsOf({ userIds }: Fields): string[] {
  const isList = Array.isArray(userIds) && userIds.length >= 1 && userIds.length <= MOST_USERS;
  if (!isList) throw refusals.invalidList('userIds', `a list of 1 to ${MOST_USERS} user ids`, userIds);
  for (const [index, id] of userIds.entries()) {
    const problem = userIdProblem(id);
    if (problem !== undefined) throw refusals.invalidField(`userIds[${index}]`, problem.expected, id);
  }
  return userIds;
}

function sourcesOf({ sources }: Fields, known: readonly string[]): readonly string[] | undefined {
  if (sources === undefined) return undefined;
  if (!Array.isArray(sources) || sources.length === 0)
    throw refusals.invalidList('sources', 'a list of at least one name of a source', sources);
  const wrong = sources.findIndex((name) => !known.includes(name));
  if (wrong >= 0) throw refusals.invalidField(`sources[${wrong}]`, 'the name of a source', sources[wrong]);
  return sources;
}
