import { MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { flawInId } from '../protocol/user-id.js';

const encoder = new TextEncoder();

/** Returns true if a run accepts the id. With any other id it would throw, and the visitor would get no response. */
export const isVisitorId = (id: string): boolean =>
  id !== '' &&
  flawInId(id) === undefined &&
  !/[\p{Surrogate}\p{Control}]/u.test(id) &&
  encoder.encode(id).length <= MAX_USER_ID_BYTES;
