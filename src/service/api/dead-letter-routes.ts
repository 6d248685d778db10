import { countDeadLetters } from '../letters/count.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { LetterJob } from './answers.js';
import { integerOf } from './body.js';
import { findDeadLetter, listDeadLetters } from './dead-letters.js';
import { changeLetters } from './letter-changes.js';
import { queryFilter } from './letter-filter.js';
import { pageOf } from './list-page.js';
import { refusals } from './refusals.js';
import type { Routes } from './router.js';
import { listWaiting } from './waiting-deliveries.js';

const MOST_LETTERS = 500;

type DeadLetterRoutes = Omit<
  Routes<'/v1/destinations/:name/'>,
  `PUT ${string}` | `GET ${string}/history` | `POST ${string}/test`
>;

/** What a destination gave up, and what waits: to list, to look at, to replay, to discard; also of one that is configured no more. */
export function deadLetterRoutes(api: AdminApi): DeadLetterRoutes {
  const managedIn = (context: NameContext): ManagedDestination => {
    const name = context.req.param('name');
    const managed = api.managedDestinations().get(name) ?? api.removedDestinations().get(name);
    if (managed === undefined) throw refusals.unknown('destination of this name');
    return managed;
  };
  const jobOf = async (context: NameContext, id: string): Promise<LetterJob> => {
    const { name } = managedIn(context);
    const job = await api.letterJobs.get(id);
    if (job?.destination === name) return job;
    throw refusals.unknown('job of this id');
  };
  return {
    async 'GET /v1/destinations/:name/dead-letters'(context) {
      const { store } = managedIn(context);
      const limit = integerOf(context, 'limit', { from: 1, to: MOST_LETTERS, otherwise: 50 });
      const filter = queryFilter(context.req.query());
      return listDeadLetters(store, { ...filter, limit, cursor: context.req.query('after') || undefined });
    },
    async 'GET /v1/destinations/:name/dead-letters/count'(context) {
      return countDeadLetters(managedIn(context).store, queryFilter(context.req.query()));
    },
    async 'GET /v1/destinations/:name/dead-letters/:id'(context) {
      const letter = await findDeadLetter(managedIn(context).store, context.req.param('id'));
      if (letter === undefined) throw refusals.unknown('dead letter of this id');
      return letter;
    },
    async 'GET /v1/destinations/:name/waiting'(context) {
      const { store } = managedIn(context);
      const limit = integerOf(context, 'limit', { from: 1, to: MOST_LETTERS, otherwise: 50 });
      const { reason: _, ...filter } = queryFilter(context.req.query());
      return listWaiting(store, { ...filter, limit, after: context.req.query('after') || undefined });
    },
    'POST /v1/destinations/:name/replay': (context) => changeLetters('replay', context, managedIn(context), api),
    'POST /v1/destinations/:name/discard': (context) => changeLetters('discard', context, managedIn(context), api),
    async 'GET /v1/destinations/:name/jobs'(context) {
      return [...pageOf(context, await api.letterJobs.list(managedIn(context).name), ({ id }) => id)];
    },
    'GET /v1/destinations/:name/jobs/:id': (context) => jobOf(context, context.req.param('id')),
    async 'DELETE /v1/destinations/:name/jobs/:id'(context) {
      const job = await jobOf(context, context.req.param('id'));
      return (await api.letterJobs.stop(job.id)) ?? job;
    },
  };
}

/** The context of a route with the name of a destination in its path. */
interface NameContext {
  readonly req: { param(name: 'name'): string };
}
