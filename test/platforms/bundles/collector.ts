import { serve } from '../../support/loopback.js';

/** Starts a server that accepts every request, like a collector or a customer's endpoint. Resolves with its URL. */
export const collector = (): Promise<string> =>
  serve((request, response) => {
    request.resume();
    response.end('{"success":true}');
  });
