import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { pageOf } from './list-page.js';
import { refusals } from './refusals.js';

/** The routes for jobs, which replay or discard many deliveries. */
export const jobRoutes = ({ deliveryJobs }: AdminApi): Routes<'/v1/jobs'> => ({
  async 'GET /v1/jobs'(_, query) {
    return [...pageOf(query, await deliveryJobs.list(), ({ id }) => id)];
  },
  async 'GET /v1/jobs/:id'(context) {
    return (await deliveryJobs.get(context.req.param('id'))) ?? unknown();
  },
  async 'DELETE /v1/jobs/:id'(context) {
    return (await deliveryJobs.stop(context.req.param('id'))) ?? unknown();
  },
});

const unknown = (): never => {
  throw refusals.unknown('job of this id');
};
