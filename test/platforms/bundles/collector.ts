import { serve } from '../../support/loopback.js';

/** What takes whatever is posted to it, as a collector does and as a customer's endpoint does. Resolves with its URL. */
export const collector = (): Promise<string> =>
  serve((request, response) => {
    request.resume();
    response.end('{"success":true}');
  });
