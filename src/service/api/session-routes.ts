import type { AdminAuth } from './admin-auth.js';
import type { Routes } from './admin-router.js';
import { readFields, textOf } from './read-fields.js';
import { refusals } from './refusals.js';

export const sessionRoutes = (auth: AdminAuth): Routes<'/v1/session'> => ({
  'GET /v1/session': (context) => auth.stateOf(context),
  async 'POST /v1/session'(context) {
    const token = textOf(await readFields(context), 'token');
    if (token === undefined) throw refusals.invalidField('token', 'a non-empty string', token);
    await auth.open(context, token);
    return undefined;
  },
  async 'DELETE /v1/session'(context) {
    await auth.leave(context);
    return undefined;
  },
});
