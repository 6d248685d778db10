import { onRejection } from '../base/errors/on-rejection.js';
import type { Answered, CollectorMetrics } from './collector-metrics.js';
import type { ResolvedCollectorOptions } from './collector-options.js';
import { textOf } from './envelope.js';
import { type HttpError, httpErrors } from './http-error.js';
import type { CollectedRequest, RequestContext } from './request.js';
import { type Rejected, rawOf } from './validate-batch.js';

/** The most characters of a refused body that `onRejected` gets. */
const MAX_RAW_LENGTH = 32_768;

/** A sender may give any text as its write key, and the pattern that hides a much longer text would be too large. */
const MAX_KEY_LENGTH = 1_000;

/** Statuses after which a client does not send again. */
const FINAL = new Set([400, 401, 415]);

/** The error code for a batch without an accepted message. */
export const ALL_REJECTED = 'all_rejected';

/** The outcome of each message of a request that was not refused. */
export interface TakenRequest {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly Rejected[];
}

type Listeners = Pick<ResolvedCollectorOptions, 'onAnswered' | 'onRejected' | 'onError'>;

/** Counts each request after its response, and reports its outcome to the caller's functions. */
export class IntakeReporter {
  readonly #options: Listeners;
  readonly #metrics: CollectorMetrics;

  constructor(options: Listeners, metrics: CollectorMetrics) {
    this.#options = options;
    this.#metrics = metrics;
  }

  taken(context: RequestContext, { accepted, duplicates, rejected }: TakenRequest, status: 200 | 400): void {
    const code = status === 200 ? undefined : ALL_REJECTED;
    this.#report(context, { status, code, accepted, duplicates, rejected: rejected.length });
    const { onRejected } = this.#options;
    if (onRejected === undefined || rejected.length === 0) return;
    const hide = hiderOf(context.writeKeys);
    this.#tell(() =>
      onRejected(
        rejected.map((each) => toRejection(each, hide)),
        context.source,
        context.request,
      ),
    );
  }

  refused(context: RequestContext, { status, code, message, rejected, cause }: HttpError): void {
    if (cause !== undefined) this.#tell(() => this.#options.onError(cause));
    this.#report(context, { status, code, accepted: 0, duplicates: 0, rejected });
    const { onRejected } = this.#options;
    if (onRejected === undefined || !FINAL.has(status)) return;
    const hide = hiderOf(context.writeKeys);
    // A key is hidden before the text is cut, because the beginning of a key would not be recognized.
    const raw = context.json === undefined || status === 401 ? '' : hide(textOf(context.json)).slice(0, MAX_RAW_LENGTH);
    const rejection = { index: undefined, messageId: undefined, code, message, raw };
    this.#tell(() => onRejected([rejection], context.source, context.request));
  }

  #report({ source, request, outgoing, startedMs }: RequestContext, ending: Omit<Answered, 'durationMs'>): void {
    // The client left before the response, so no one received it.
    const { status, code } = outgoing.destroyed ? httpErrors.clientGone() : ending;
    const answered = { ...ending, status, code, durationMs: performance.now() - startedMs };
    this.#count(answered, request);
    const { onAnswered } = this.#options;
    if (onAnswered !== undefined) this.#tell(() => onAnswered(answered, source, request));
  }

  #count({ status, accepted, duplicates, rejected, durationMs }: Answered, { bytes }: CollectedRequest): void {
    const { requests, messages, seconds, bytes: bodyBytes } = this.#metrics;
    requests.inc({ status });
    bodyBytes.inc(bytes);
    seconds.observe(durationMs / 1000);
    messages.inc({ outcome: 'accepted' }, accepted);
    if (duplicates > 0) messages.inc({ outcome: 'duplicate' }, duplicates);
    if (rejected > 0) messages.inc({ outcome: 'rejected' }, rejected);
  }

  /** Calls an observer. A failure of it must not change the outcome of a request, or end the process. */
  #tell(act: () => unknown): void {
    try {
      // TypeScript accepts an async function where `void` is expected, although most observers return nothing.
      const promised = act();
      if (promised !== undefined) onRejection(promised, (error) => this.#complain(error));
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    try {
      this.#options.onError(error);
    } catch {
      // `onError` threw too, and nothing else could receive the error.
    }
  }
}

/** Returns a function that hides these write keys in JSON text, under any name and however their characters are escaped. */
function hiderOf(writeKeys: readonly string[]): (json: string) => string {
  const hidden = writeKeys.filter(({ length }) => length > 0 && length <= MAX_KEY_LENGTH);
  const patterns = hidden.map((key) => new RegExp(`"${key.split('').map(escapedOrNot).join('')}"`, 'g'));
  return (json) => patterns.reduce((shown, pattern) => shown.replaceAll(pattern, '"***"'), json);
}

/** Makes a pattern for a character of a JSON string, such as `/`, `\/` and `\u002f`. */
function escapedOrNot(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const inAnyCase = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return `(?:\\\\?\\u${code}|\\\\u${inAnyCase})`;
}

const toRejection = ({ index, messageId, code, message, item }: Rejected, hide: (json: string) => string) => ({
  index,
  messageId,
  code,
  message,
  raw: hide(rawOf(item)),
});
