import type { Clock } from '../../base/time/clock.js';
import { Collector } from '../../collector/collector.js';
import { isCollecting, straighten } from '../../collector/collector-routes.js';
import type { Handler } from '../../collector/collector-server.js';
import type { Ledger } from '../../ledger/ledger.js';
import { TIMEOUTS } from '../api/http-server.js';
import type { TellError } from '../operations/error-lines.js';
import type { Tracing } from '../operations/tracing.js';
import type { Observer } from '../service-observer.js';
import type { Admission } from './admission.js';
import type { Ingest } from './ingest.js';

export interface EntranceOptions {
  readonly clock: Clock;
  readonly ingest: Ingest;
  readonly admission: Admission;
  readonly ledger: Pick<Ledger, 'counts' | 'rejections'>;
  readonly observer: Observer | undefined;
  readonly tellError: TellError;
  /** @default 0 */
  readonly trustedProxies?: number | undefined;
  onError(error: unknown): void;
}

/** Creates the collector of a service. It knows the sources, answers when messages are stored, and reports to the observer. */
export function openEntrance(options: EntranceOptions): Collector {
  const { clock, ingest, admission, ledger, observer, tellError, trustedProxies, onError } = options;
  return new Collector({
    sources: (writeKey) => ingest.routes.sourceOf(writeKey),
    onMessages: async (messages, source, request) => {
      if (observer !== undefined) show(() => observer.coming(messages), onError);
      const known = await ingest.take(source.name, messages, request.expandedBytes);
      if (observer !== undefined && known.size < messages.length) {
        const fresh = messages.filter((message) => !known.has(message));
        show(() => observer.collected.onMessages(fresh, source, request), onError);
      }
      return known.size;
    },
    admit: (source, { messages }) => admission.admit(source, messages),
    onRejected: (rejected, source, request) => {
      if (source !== undefined) ledger.rejections.add(source.name, rejected, request);
      observer?.collected.onRejected(rejected, source, request);
    },
    onAnswered: (answered, source, request) => {
      if (source !== undefined) ledger.counts.add(source.name, 'rejected', answered.rejected);
      observer?.collected.onAnswered(answered, source, request);
    },
    onError: (error) => tellError(error, 'messages could not be stored'),
    trustedProxies,
    ...TIMEOUTS,
    // The storage remembers ids instead.
    maxRememberedIds: 0,
    now: () => clock.wall(),
  });
}

/** Sends a request to the collector if it has a route for the path, and to the other handler if not. */
export function inFrontOf(other: Handler, { atRoot }: Collector, tracing: Tracing | undefined): Handler {
  const collect = tracing?.wrap(atRoot) ?? atRoot;
  return (incoming, outgoing) =>
    isCollecting(straighten(incoming)) ? collect(incoming, outgoing) : other(incoming, outgoing);
}

/** Calls an observer, whose failure must not change the outcome of a message. */
function show(act: () => unknown, onError: (error: unknown) => void): void {
  try {
    act();
  } catch (error) {
    onError(error);
  }
}
