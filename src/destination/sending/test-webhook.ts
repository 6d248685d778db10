import type { Clock } from '../../base/time/clock.js';
import { type Attempt, attemptOf } from '../../delivery/state.js';
import type { WebhookName } from '../endpoints/known-webhooks.js';
import type { PreparedEvent } from '../intake/prepared-event.js';
import type { ShownExchange } from './exchange.js';
import type { Send } from './sender.js';

/** A webhook and its answer to a test event. */
export interface TestedWebhook extends WebhookName {
  readonly attempt: Attempt;
  /** Undefined when no request was made. */
  readonly exchange: ShownExchange | undefined;
}

/** Posts an event once. Nothing is stored, counted or retried. */
export async function testWebhook(
  send: Send,
  { id, body }: PreparedEvent,
  clock: Clock,
): Promise<Pick<TestedWebhook, 'attempt' | 'exchange'>> {
  const startedAt = clock.now();
  const answer = await send(id, body);
  const attempt = attemptOf(startedAt, clock.now(), answer, undefined);
  return { attempt, exchange: answer.exchange?.shown() };
}
