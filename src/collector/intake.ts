import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_TAKEN_BODY_BYTES } from '../limits.js';
import type { MessageTypeName } from '../protocol/message.js';
import { answer, refuse } from './answer.js';
import { type Arrival, arrive } from './arrival.js';
import { readBody, refuseDeclared } from './body.js';
import { ByteBudget } from './byte-budget.js';
import { decode, encodingOf } from './content-encoding.js';
import { type Envelope, openEnvelope } from './envelope.js';
import { inviteBody } from './expect-continue.js';
import { HandOnOnce } from './hand-on-once.js';
import type { ResolvedOptions } from './options.js';
import type { ReceivedMessage } from './received-message.js';
import { Refusal, refusals } from './refusal.js';
import { ALL_REJECTED, type Observe, Reporter, type Taken } from './reporter.js';
import type { CollectedRequest } from './request.js';
import { SeenIds } from './seen-ids.js';
import { sortOut } from './sort-out.js';
import { keyOfAuthorization, type Source } from './source.js';

/** About what a small message takes in memory beside its text, once it is parsed, stamped and waits for its turn. */
const MESSAGE_OVERHEAD_BYTES = 512;

/** What compression may add to a body that does not get smaller. */
const COMPRESSION_SLACK = 1_024;

/** Takes one request from its headers to its answer. */
export class Intake {
  readonly #options: ResolvedOptions;
  readonly #reporter: Reporter;
  readonly #isClosing: () => boolean;
  readonly #budget: ByteBudget;
  readonly #once: HandOnOnce;

  constructor(options: ResolvedOptions, isClosing: () => boolean, observe: Observe) {
    const { rememberFor, maxRememberedIds, maxBytesInFlight, now } = options;
    this.#options = options;
    this.#isClosing = isClosing;
    this.#reporter = new Reporter(options, observe);
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
    const arrival = arrive({ incoming, outgoing, type, receivedMs: this.#options.now(), lease: this.#budget.open() });
    try {
      const taken = await this.#take(arrival);
      const { status, json } = answerTo(taken);
      answer(incoming, outgoing, status, json);
      this.#reporter.taken(arrival, taken, status);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusals.internalError(error);
      refuse(incoming, outgoing, refusal);
      this.#reporter.refused(arrival, refusal);
    } finally {
      arrival.lease.release();
    }
  }

  async #take(arrival: Arrival): Promise<Taken> {
    if (this.#isClosing()) throw refusals.closing();
    const key = keyOfAuthorization(arrival.incoming.headers.authorization);
    // Before the body is read, so that a stranger's is never held.
    let source = key === undefined ? undefined : await this.#sourceOf(key, arrival);
    arrival.json = await this.#read(arrival);
    const envelope = openEnvelope(arrival.json, arrival.type, this.#options.maxMessages);
    source ??= await this.#sourceOf(envelope.writeKey, arrival);
    arrival.request.messages = envelope.messages.length;
    if (!arrival.lease.take(envelope.messages.length * MESSAGE_OVERHEAD_BYTES)) throw refusals.tooBusy();
    this.#admit(source, arrival.request);
    const { messages, rejected } = sortOut(envelope.messages, batchLevel(arrival, envelope));
    const [alone] = rejected;
    if (arrival.type !== undefined && alone !== undefined) throw refusals.badMessage(alone.code, alone.message);
    if (messages.length === 0) return { accepted: 0, duplicates: 0, rejected };
    return { ...(await this.#handOn(messages, source, arrival.request)), rejected };
  }

  async #sourceOf(writeKey: string | undefined, arrival: Arrival): Promise<Source> {
    const source = await this.#find(writeKey);
    arrival.source = source;
    arrival.lease.assign(source.name);
    this.#admit(source, arrival.request);
    return source;
  }

  #admit(source: Source, request: CollectedRequest): void {
    const reason = this.#options.admit?.(source, request);
    if (reason !== undefined) throw refusals.notAdmitted(reason);
  }

  async #find(writeKey: string | undefined): Promise<Source> {
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
    const maxBytes = encoding === 'identity' ? MAX_TAKEN_BODY_BYTES : MAX_TAKEN_BODY_BYTES + COMPRESSION_SLACK;
    refuseDeclared(incoming, maxBytes, lease);
    inviteBody(incoming, outgoing);
    const body = await readBody(incoming, { maxBytes, timeoutMs: this.#options.bodyTimeout, lease });
    request.wireBytes = body.length;
    const json = decode(body, encoding, MAX_TAKEN_BODY_BYTES);
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
}

const batchLevel = ({ receivedMs, request }: Arrival, { context, integrations, sentAt }: Envelope) => ({
  context,
  integrations,
  sentAt,
  receivedMs,
  receivedAt: request.receivedAt,
  newId: randomUUID,
});

// To the letter: clients resend when they read anything else.
const SUCCESS = '{"success":true}';

/** A client that looks at the status alone must not believe that it has delivered when nothing was taken. */
function answerTo({ accepted, duplicates, rejected }: Taken): { status: 200 | 400; json: string } {
  if (rejected.length === 0) return { status: 200, json: SUCCESS };
  const list = rejected.map(({ index, messageId = null, code, message }) => ({ index, messageId, code, message }));
  if (accepted + duplicates > 0) return { status: 200, json: JSON.stringify({ success: true, rejected: list }) };
  const message = `None of the ${list.length} messages was taken`;
  return { status: 400, json: JSON.stringify({ success: false, code: ALL_REJECTED, message, rejected: list }) };
}
