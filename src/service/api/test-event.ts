import { ValidationError } from '../../base/errors/errors.js';
import type { Rules } from '../../base/options/check-options.js';
import { MAX_EVENT_BYTES } from '../../base/options/limits.js';
import { newUuid } from '../../base/text/uuid.js';
import type { Deliverable } from '../../delivery/deliverable.js';
import type { TestedWebhook } from '../../destination/endpoints/endpoints.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import { isRecord } from '../../protocol/plain.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { TestRequest, TestResult } from './delivery-answers.js';
import { attemptReport } from './delivery-report.js';
import { iso } from './iso.js';
import { filled } from './read-fields.js';
import { ApiRefusal, refusals } from './refusals.js';

/** Enough for an event of the maximum size and the fields around it. */
export const MOST_TEST_BYTES = MAX_EVENT_BYTES + 1_024;

export const TEST_FIELDS: Rules<TestRequest> = {
  endpoint: filled,
  message: { expected: 'an object', holds: isRecord },
};

const SAMPLE = { type: 'track', event: 'eventferry test', userId: 'eventferry-test' };

/**
 * Posts a test event to all webhooks of a destination, or to one of them, and returns their answers.
 *
 * @throws ApiRefusal when a receiver would not accept the message, or the webhook is not configured
 */
export async function testDestination(
  managed: ManagedDestination,
  { endpoint, message: given = SAMPLE }: TestRequest,
  now: number,
): Promise<TestResult[]> {
  const message = { messageId: newUuid(), timestamp: iso(now), ...given };
  const tested = await managed.test(message as Deliverable, endpoint).catch(refuseInvalid);
  if (tested.length === 0) throw refusals.invalidField('endpoint', 'a webhook of this destination', endpoint);
  return tested.map(reportOf);
}

function refuseInvalid(error: unknown): never {
  if (!(error instanceof ValidationError)) throw error;
  throw new ApiRefusal('invalid_field', error.message, { cause: error });
}

function reportOf({ id, url, attempt, exchange }: TestedWebhook): TestResult {
  return {
    ...(id !== undefined && { id }),
    url: shownUrl(url),
    attempt: attemptReport(attempt, exchange),
  };
}
