import { required } from '../../base/options/check-options.js';
import type { AdminAuth } from './admin-auth.js';
import type { Routes } from './admin-router.js';
import { filled, readFields } from './read-fields.js';
import type { SignIn } from './requests.js';

export const sessionRoutes = (auth: AdminAuth): Routes<'/v1/session'> => ({
  'GET /v1/session': (context) => auth.stateOf(context),
  async 'POST /v1/session'(context) {
    const { token } = await readFields<SignIn>(context, { token: required(filled) });
    await auth.open(context, token);
    return undefined;
  },
  async 'DELETE /v1/session'(context) {
    await auth.leave(context);
    return undefined;
  },
});
