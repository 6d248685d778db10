import type { Clock } from '../../base/time/clock.js';
import { Collector } from '../../collector/collector.js';
import type { NotAdmitted } from '../../collector/options.js';
import type { Source } from '../../collector/source.js';
import { TIMEOUTS } from '../api/http-server.js';
import type { Observer } from '../observer.js';
import type { TellError } from '../operations/error-lines.js';
import type { Routes } from '../routing/routes.js';
import type { Counts } from './counts.js';
import type { Incoming } from './ingest.js';
import type { Rejections } from './rejections.js';

export interface CreateCollectorOptions {
  readonly clock: Clock;
  readonly observer: Observer | undefined;
  readonly counts: Counts;
  readonly rejections: Pick<Rejections, 'add'>;
  readonly tellError: TellError;
  routes(): Routes;
  /** Returns why so many messages of a source are not taken now. */
  admit(source: Source, messages: number): NotAdmitted | undefined;
  /** Resolves when the messages are stored. */
  accept(source: string, messages: readonly Incoming[]): Promise<void>;
  onError(error: unknown): void;
}

/** About 10 MB. */
const MOST_REMEMBERED_IDS = 100_000;

/** The collector of a service: it knows the sources, answers when messages are stored, and reports to the observer. */
export function createCollector(options: CreateCollectorOptions): Collector {
  const { clock, observer, counts, rejections, tellError, routes, admit, accept, onError } = options;
  return new Collector({
    sources: (writeKey) => routes().sourceOf(writeKey),
    onMessages: async (messages, source, request) => {
      if (observer !== undefined) show(() => observer.coming(messages), onError);
      await accept(source.name, messages);
      if (observer !== undefined) show(() => observer.collected.onMessages(messages, source, request), onError);
    },
    admit: (source, { messages }) => admit(source, messages),
    onRejected: (rejected, source, request) => {
      if (source !== undefined) rejections.add(source.name, rejected, request);
      observer?.collected.onRejected(rejected, source, request);
    },
    onAnswered: (answered, source, request) => {
      if (source !== undefined) counts.add(source.name, 'rejected', answered.rejected);
      observer?.collected.onAnswered(answered, source, request);
    },
    onError: (error) => tellError(error, 'messages could not be stored'),
    ...TIMEOUTS,
    // The store remembers all ids; these spare it most questions.
    maxRememberedIds: MOST_REMEMBERED_IDS,
    now: () => clock.wall(),
  });
}

/** A failing observer must not change the outcome of a message. */
function show(act: () => unknown, onError: (error: unknown) => void): void {
  try {
    act();
  } catch (error) {
    onError(error);
  }
}
