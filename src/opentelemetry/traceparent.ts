import { trace } from '@opentelemetry/api';
import type { TypedMessage } from '../protocol/calls.js';
import type { Message } from '../protocol/message.js';

/**
 * A function for a client's option `before`. It writes the active span into the message's `context.traceparent`, in the form of
 * W3C Trace Context. A message that already has one, or that is tracked outside of any span, is not changed.
 *
 * @example
 * const analytics = new Analytics({ writeKey, endpoint, before: addTraceparent });
 */
export function addTraceparent(message: Message): TypedMessage {
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !trace.isSpanContextValid(span) || message.context?.['traceparent'] !== undefined) {
    return message;
  }
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  return { ...message, context: { ...message.context, traceparent: `00-${span.traceId}-${span.spanId}-${flags}` } };
}
