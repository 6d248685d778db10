import { type EventferryError, RejectedError } from '../../errors.js';

/**
 * Whether a message was lost for what it says. Otherwise its collector could not be reached, takes nothing from us, or the client
 * gave up: the same row, sent again another day, may be delivered.
 */
export function isOfTheMessage(error: EventferryError): boolean {
  if (error.code === 'EVENTFERRY_HOOK_FAILED') return true;
  return error instanceof RejectedError && isOfTheMessageAlone(error.status);
}

/** A 2xx answer names the message; with 400 and 413 the client has sent ever smaller parts until it stood alone. */
const isOfTheMessageAlone = (status: number): boolean => status < 300 || status === 400 || status === 413;
