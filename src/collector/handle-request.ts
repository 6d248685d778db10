import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_TAKEN_BODY_BYTES } from '../base/options/limits.js';
import { FairQueue } from '../base/structures/fair-queue.js';
import { newUuid } from '../base/text/uuid.js';
import type { MessageTypeName } from '../protocol/calls.js';
import { ByteBudget } from './byte-budget.js';
import { CollectorMetrics } from './collector-metrics.js';
import type { ResolvedCollectorOptions } from './collector-options.js';
import { type Deduplicated, Deduplicator } from './deduplicator.js';
import { readSent } from './enrich.js';
import { type Envelope, openEnvelope } from './envelope.js';
import type { Source } from './find-source.js';
import { HttpError, httpErrors } from './http-error.js';
import type { ReceivedMessage } from './received-message.js';
import {
  addressOf,
  type CollectedRequest,
  createRequestContext,
  keyOfAuthorization,
  type RequestContext,
} from './request.js';
import { decode, type Encoding, encodingOf, inviteBody, isSmall, readBody, refuseDeclared } from './request-body.js';
import { ActiveResponses, answer, refuse, send } from './responses.js';
import { ALL_REJECTED, IntakeReporter, type TakenRequest } from './taken-reporter.js';
import { sharedBytes, validateBatch } from './validate-batch.js';
import type { CollectedAnswer, CollectorError } from './wire.js';

/** The approximate memory that a small message takes besides its text, once it is parsed, stamped and waiting. */
const MESSAGE_OVERHEAD_BYTES = 512;

/** The most bytes that compression may add to a body that it cannot shrink. */
const COMPRESSION_SLACK = 1_024;

/** A body as it was received. */
interface Body {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

const oneAtATime = (): FairQueue => new FairQueue({ maxRunning: 1, quantum: 1, later: (act) => act() });

/** Handles each request from its headers to its response. */
export class RequestHandler {
  /** The responses that are not completely sent yet. */
  readonly underWay = new ActiveResponses();
  readonly metrics: CollectorMetrics;
  /** Once this is true, new requests are answered 503. */
  isClosed = false;
  readonly #options: ResolvedCollectorOptions;
  readonly #reporter: IntakeReporter;
  readonly #budget: ByteBudget;
  /** Decodes and parses the bodies of unknown senders one at a time, because each may take milliseconds. */
  readonly #strangers = oneAtATime();
  /** Does the same with large bodies of known sources, so that a source that sends many of them delays another by one body. */
  readonly #large = oneAtATime();
  /** Undefined if `onMessages` itself detects what it has stored before. */
  readonly #once: Deduplicator | undefined;

  constructor(options: ResolvedCollectorOptions) {
    const { rememberFor, maxRememberedIds, maxBytesInFlight, now } = options;
    this.#options = options;
    this.metrics = new CollectorMetrics(() => ({
      bytesInFlight: this.#budget.used,
      requestsInFlight: this.underWay.size,
      rememberedIds: this.#once?.remembered ?? 0,
    }));
    this.#reporter = new IntakeReporter(options, this.metrics);
    this.#budget = new ByteBudget(maxBytesInFlight);
    if (maxRememberedIds > 0) this.#once = new Deduplicator({ windowMs: rememberFor, maxIds: maxRememberedIds, now });
  }

  health(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.isClosed) refuse(incoming, outgoing, httpErrors.closing());
    else answer(incoming, outgoing, 200, '{"status":"ok"}');
  }

  async showMetrics(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    send(incoming, outgoing, 200, await this.metrics.text(), { 'Content-Type': this.metrics.contentType });
  }

  /** Handles one request. Without a type the body is a batch. */
  async collect(incoming: IncomingMessage, outgoing: ServerResponse, type: MessageTypeName | undefined): Promise<void> {
    const remoteAddress = addressOf(incoming, this.#options.trustedProxies);
    const context = createRequestContext({
      incoming,
      outgoing,
      type,
      receivedMs: this.#options.now(),
      remoteAddress,
      lease: this.#budget.open(remoteAddress),
    });
    try {
      const taken = await this.#take(context);
      const { status, json } = answerTo(taken);
      answer(incoming, outgoing, status, json);
      this.#reporter.taken(context, taken, status);
    } catch (error) {
      const refusal = error instanceof HttpError ? error : httpErrors.internalError(error);
      refuse(incoming, outgoing, refusal);
      this.#reporter.refused(context, refusal);
    } finally {
      context.lease.release();
    }
  }

  async #take(context: RequestContext): Promise<TakenRequest> {
    if (this.isClosed) throw httpErrors.closing();
    const key = keyOfAuthorization(context.incoming.headers.authorization);
    if (key !== undefined) context.writeKeys.push(key);
    // The source is found before the body is read, so that an unknown sender's body is never held in memory.
    let source = key === undefined ? undefined : await this.#sourceOf(key, context);
    const body = await this.#read(context);
    const envelope = await this.#envelopeIn(context, body);
    source ??= await this.#sourceOf(envelope.writeKey, context);
    this.#holdExpanded(context, envelope);
    this.#admit(source, context.request);
    const { messages, rejected } = validateBatch(envelope.messages, batchLevel(context, envelope), envelope.exact);
    const [alone] = rejected;
    if (context.type !== undefined && alone !== undefined) throw httpErrors.badMessage(alone.code, alone.message);
    if (messages.length === 0) return { accepted: 0, duplicates: 0, rejected };
    return { ...(await this.#handOn(messages, source, context.request)), rejected };
  }

  async #envelopeIn(context: RequestContext, body: Body): Promise<Envelope> {
    const isAtOnce = context.source !== undefined && isSmall(body.bytes, body.encoding);
    try {
      return isAtOnce ? this.#open(context, body) : await this.#openInTurn(context, body);
    } catch (refusal) {
      const [writeKey] = context.writeKeys;
      // The header names no source, so the refusal counts for the source that the body names.
      if (context.source === undefined && writeKey !== undefined) await this.#sourceOf(writeKey, context);
      throw refusal;
    }
  }

  /** Reserves memory for the parsed messages: the objects, each with the context and integrations of its batch. */
  #holdExpanded({ request, lease }: RequestContext, envelope: Envelope): void {
    const messages = envelope.messages.length;
    const shared = messages * sharedBytes(envelope);
    request.messages = messages;
    request.expandedBytes = request.bytes + shared;
    const bytes = messages * MESSAGE_OVERHEAD_BYTES + shared;
    if (bytes > lease.most) throw httpErrors.batchTooLarge(messages, shared, lease.most);
    if (!lease.take(bytes)) throw httpErrors.tooBusy();
  }

  async #sourceOf(writeKey: string | undefined, context: RequestContext): Promise<Source> {
    const source = await this.#find(writeKey);
    context.source = source;
    context.lease.assign(source.name);
    this.#admit(source, context.request);
    return source;
  }

  #admit(source: Source, request: CollectedRequest): void {
    const reason = this.#options.admit?.(source, request);
    if (reason !== undefined) throw httpErrors.notAdmitted(reason);
  }

  async #find(writeKey: string | undefined): Promise<Source> {
    if (writeKey === undefined) throw httpErrors.unknownWriteKey();
    let source: Source | undefined | null;
    try {
      source = await this.#options.findSource(writeKey);
    } catch (error) {
      throw httpErrors.noSources(error);
    }
    if (source === undefined || source === null) throw httpErrors.unknownWriteKey();
    return source;
  }

  async #read({ incoming, outgoing, lease, request }: RequestContext): Promise<Body> {
    const encoding = encodingOf(incoming.headers['content-encoding']);
    const maxBytes = encoding === 'identity' ? MAX_TAKEN_BODY_BYTES : MAX_TAKEN_BODY_BYTES + COMPRESSION_SLACK;
    refuseDeclared(incoming, maxBytes, lease);
    inviteBody(incoming, outgoing);
    const bytes = await readBody(incoming, { maxBytes, timeoutMs: this.#options.bodyTimeout, lease });
    request.wireBytes = bytes.length;
    return { bytes, encoding };
  }

  /** Decodes and parses the body in its own turn of the event loop. Sources take turns, and so do the networks of unknown senders. */
  #openInTurn(context: RequestContext, body: Body): Promise<Envelope> {
    const queue = context.source === undefined ? this.#strangers : this.#large;
    return queue.run(context.lease.holder, 1, async () => {
      await nextTurn();
      return this.#open(context, body);
    });
  }

  #open(context: RequestContext, { bytes, encoding }: Body): Envelope {
    const { request, lease, type } = context;
    const json = decode(bytes, encoding, MAX_TAKEN_BODY_BYTES);
    request.bytes = json.length;
    if (json !== bytes && !lease.take(json.length)) throw httpErrors.tooBusy();
    context.json = json;
    return openEnvelope(json, type, this.#options.maxBatchMessages, (key) => context.writeKeys.push(key));
  }

  async #handOn(messages: ReceivedMessage[], source: Source, request: CollectedRequest): Promise<Deduplicated> {
    const { onMessages } = this.#options;
    try {
      if (this.#once !== undefined) {
        return await this.#once.handOn(source.name, messages, (fresh) => onMessages(fresh, source, request));
      }
      const known = await onMessages(messages, source, request);
      const duplicates = typeof known === 'number' ? known : 0;
      return { accepted: messages.length - duplicates, duplicates };
    } catch (error) {
      throw httpErrors.notStored(error);
    }
  }
}

const batchLevel = ({ receivedMs, request }: RequestContext, { context, integrations, sentAt }: Envelope) => ({
  context,
  integrations,
  sent: readSent(sentAt),
  receivedMs,
  receivedAt: request.receivedAt,
  newId: newUuid,
});

// Clients resend when they read anything but exactly this.
const SUCCESS = '{"success":true}';

/** Answers 400 if nothing was taken, so that a client that only reads the status does not believe it has delivered. */
function answerTo({ accepted, duplicates, rejected }: TakenRequest): { status: 200 | 400; json: string } {
  if (rejected.length === 0) return { status: 200, json: SUCCESS };
  const list = rejected.map(({ index, messageId = null, code, message }) => ({ index, messageId, code, message }));
  if (accepted + duplicates > 0) {
    const taken: CollectedAnswer = { success: true, rejected: list };
    return { status: 200, json: JSON.stringify(taken) };
  }
  const message = `None of the ${list.length} messages was taken`;
  const refused: CollectorError = { success: false, code: ALL_REJECTED, message, rejected: list };
  return { status: 400, json: JSON.stringify(refused) };
}
