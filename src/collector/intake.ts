import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MessageTypeName } from '../messages/message.js';
import { answer, refuse } from './answer.js';
import { readBody, refuseDeclared } from './body.js';
import { ByteBudget, type Lease } from './byte-budget.js';
import { decode, encodingOf } from './content-encoding.js';
import { type Envelope, openEnvelope, textOf } from './envelope.js';
import { inviteBody } from './expect-continue.js';
import { HandOnOnce } from './hand-on-once.js';
import { MAX_BODY_BYTES } from './limits.js';
import type { Answered } from './metrics.js';
import type { ResolvedOptions } from './options.js';
import type { ReceivedMessage } from './received-message.js';
import { Refusal, refusals } from './refusal.js';
import { type CollectedRequest, describeRequest, type RequestInProgress } from './request.js';
import { SeenIds } from './seen-ids.js';
import { type Rejected, rawOf, sortOut } from './sort-out.js';
import { keyOfAuthorization, type Source } from './source.js';
import { formatTime } from './timestamp.js';

/** What compression may add to a body that does not get smaller. */
const COMPRESSION_SLACK = 1_024;

/** The longest text of a refused body that is shown to `onRejected`. */
const MAX_RAW_LENGTH = 32_768;

/** One request on its way through, and what is known of it so far. */
interface Arrival {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly type: MessageTypeName | undefined;
  readonly receivedMs: number;
  /** On a clock that never jumps. */
  readonly startedMs: number;
  readonly request: RequestInProgress;
  readonly lease: Lease;
  source: Source | undefined;
  json: Uint8Array | undefined;
}

interface Taken {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly Rejected[];
}

/** Told of each request when it is answered. */
export type Observe = (answered: Answered, source: Source | undefined, request: CollectedRequest) => void;

/** Takes one request from its headers to its answer. */
export class Intake {
  readonly #options: ResolvedOptions;
  readonly #observe: Observe;
  readonly #isClosing: () => boolean;
  readonly #budget: ByteBudget;
  readonly #once: HandOnOnce;

  constructor(options: ResolvedOptions, isClosing: () => boolean, observe: Observe) {
    const { rememberFor, maxRememberedIds, maxBytesInFlight, now } = options;
    this.#options = options;
    this.#isClosing = isClosing;
    this.#observe = observe;
    this.#budget = new ByteBudget(maxBytesInFlight);
    this.#once = new HandOnOnce(new SeenIds({ windowMs: rememberFor, maxIds: maxRememberedIds, nowMs: now() }), now);
  }

  get bytesInFlight(): number {
    return this.#budget.used;
  }

  get rememberedIds(): number {
    return this.#once.remembered;
  }

  async collect(incoming: IncomingMessage, outgoing: ServerResponse, type: MessageTypeName | undefined): Promise<void> {
    const arrival = this.#arrive(incoming, outgoing, type);
    try {
      const taken = await this.#take(arrival);
      answer(incoming, outgoing, 200, successOf(taken.rejected));
      this.#reportTaken(arrival, taken);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusals.internalError(error);
      refuse(incoming, outgoing, refusal);
      this.#reportRefused(arrival, refusal);
    } finally {
      arrival.lease.release();
    }
  }

  #arrive(incoming: IncomingMessage, outgoing: ServerResponse, type: MessageTypeName | undefined): Arrival {
    const receivedMs = this.#options.now();
    const [path = ''] = (incoming.url ?? '').split('?', 1);
    return {
      incoming,
      outgoing,
      type,
      receivedMs,
      startedMs: performance.now(),
      request: describeRequest(incoming, path, formatTime(receivedMs)),
      lease: this.#budget.open(),
      source: undefined,
      json: undefined,
    };
  }

  async #take(arrival: Arrival): Promise<Taken> {
    if (this.#isClosing()) throw refusals.closing();
    const key = keyOfAuthorization(arrival.incoming.headers.authorization);
    // Before the body is read, so that a stranger's is never held.
    if (key !== undefined) arrival.source = await this.#sourceOf(key);
    arrival.json = await this.#read(arrival);
    const envelope = openEnvelope(arrival.json, arrival.type);
    arrival.request.messages = envelope.messages.length;
    arrival.source ??= await this.#sourceOf(envelope.writeKey);
    const { messages, rejected } = sortOut(envelope.messages, batchLevel(arrival, envelope));
    const [alone] = rejected;
    if (arrival.type !== undefined && alone !== undefined) throw refusals.badMessage(alone.code, alone.message);
    return { ...(await this.#handOn(messages, arrival.source, arrival.request)), rejected };
  }

  async #sourceOf(writeKey: string | undefined): Promise<Source> {
    if (writeKey === undefined) throw refusals.unknownWriteKey();
    let source: Source | undefined | null;
    try {
      source = await this.#options.findSource(writeKey);
    } catch (error) {
      throw refusals.noSources(error);
    }
    if (source === undefined || source === null) throw refusals.unknownWriteKey();
    return source;
  }

  async #read({ incoming, outgoing, lease, request }: Arrival): Promise<Uint8Array> {
    const encoding = encodingOf(incoming.headers['content-encoding']);
    const maxBytes = encoding === 'identity' ? MAX_BODY_BYTES : MAX_BODY_BYTES + COMPRESSION_SLACK;
    refuseDeclared(incoming, maxBytes, (bytes) => this.#budget.fits(bytes));
    inviteBody(incoming, outgoing);
    const body = await readBody(incoming, { maxBytes, timeoutMs: this.#options.bodyTimeout, lease });
    request.wireBytes = body.length;
    const json = decode(body, encoding, MAX_BODY_BYTES);
    request.bytes = json.length;
    if (json !== body && !lease.take(json.length)) throw refusals.tooBusy();
    return json;
  }

  async #handOn(messages: ReceivedMessage[], source: Source, request: CollectedRequest) {
    try {
      return await this.#once.handOn(source.name, messages, (fresh) =>
        this.#options.onMessages(fresh, source, request),
      );
    } catch (error) {
      throw refusals.notStored(error);
    }
  }

  #reportTaken(arrival: Arrival, { accepted, duplicates, rejected }: Taken): void {
    this.#report(arrival, { status: 200, code: undefined, accepted, duplicates, rejected: rejected.length });
    const { onRejected } = this.#options;
    if (onRejected === undefined || rejected.length === 0) return;
    this.#tell(() => onRejected(rejected.map(toRejection), arrival.source, arrival.request));
  }

  #reportRefused(arrival: Arrival, { status, code, message, cause }: Refusal): void {
    if (cause !== undefined) this.#tell(() => this.#options.onError(cause));
    this.#report(arrival, { status, code, accepted: 0, duplicates: 0, rejected: 0 });
    const { onRejected } = this.#options;
    if (onRejected === undefined || !FINAL.has(status)) return;
    const raw = arrival.json === undefined || status === 401 ? '' : textOf(arrival.json).slice(0, MAX_RAW_LENGTH);
    const rejection = { index: undefined, messageId: undefined, code, message, raw };
    this.#tell(() => onRejected([rejection], arrival.source, arrival.request));
  }

  #report({ source, request, startedMs }: Arrival, ending: Omit<Answered, 'durationMs'>): void {
    this.#tell(() => this.#observe({ ...ending, durationMs: performance.now() - startedMs }, source, request));
  }

  /** Nothing that only looks on may change what becomes of a request. */
  #tell(act: () => void): void {
    try {
      act();
    } catch (error) {
      // The one who would be told threw as well; there is nobody else.
      try {
        this.#options.onError(error);
      } catch {}
    }
  }
}

/** What a client does not send again. */
const FINAL = new Set([400, 401, 415]);

const batchLevel = ({ receivedMs, request }: Arrival, { context, integrations, sentAt }: Envelope) => ({
  context,
  integrations,
  sentAt,
  receivedMs,
  receivedAt: request.receivedAt,
  newId: randomUUID,
});

const toRejection = ({ index, messageId, code, message, item }: Rejected) => ({
  index,
  messageId,
  code,
  message,
  raw: rawOf(item),
});

// To the letter: clients resend when they read anything else.
const SUCCESS = '{"success":true}';

function successOf(rejected: readonly Rejected[]): string {
  if (rejected.length === 0) return SUCCESS;
  return JSON.stringify({
    success: true,
    rejected: rejected.map(({ index, messageId = null, code, message }) => ({ index, messageId, code, message })),
  });
}
