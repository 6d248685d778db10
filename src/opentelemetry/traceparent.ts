import { trace } from '@opentelemetry/api';
import type { Message, TypedMessage } from '../protocol/message.js';

/**
 * For the option `before` of a client: writes the span in which a message is tracked into its `context.traceparent`, as W3C's Trace
 * Context has it. Leaves a message alone that has one already, and one that is tracked outside of any span.
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
