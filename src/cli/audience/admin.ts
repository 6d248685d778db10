import { AdminClient } from '../../admin/admin-client.js';
import { given, TOKEN_VARIABLE } from '../connection.js';

export interface AdminOptions {
  /** The base URL of the service. */
  readonly url: string;
  readonly token?: string | undefined;
}

/** @throws CliError when there is no token */
export const adminOf = ({ url, token }: AdminOptions): AdminClient =>
  new AdminClient({ url, token: given(token, 'no token', `--token TOKEN or set ${TOKEN_VARIABLE}`) });
