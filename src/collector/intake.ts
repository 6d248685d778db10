import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MessageTypeName } from '../messages/message.js';
import { answer, refuse } from './answer.js';
import { type Arrival, arrive } from './arrival.js';
import { readBody, refuseDeclared } from './body.js';
import { ByteBudget } from './byte-budget.js';
import { decode, encodingOf } from './content-encoding.js';
import { type Envelope, openEnvelope } from './envelope.js';
import { inviteBody } from './expect-continue.js';
import { HandOnOnce } from './hand-on-once.js';
import { MAX_BODY_BYTES } from './limits.js';
import type { ResolvedOptions } from './options.js';
import type { ReceivedMessage } from './received-message.js';
import { Refusal, refusals } from './refusal.js';
import { type Observe, Reporter, type Taken } from './reporter.js';
import type { CollectedRequest } from './request.js';
import { SeenIds } from './seen-ids.js';
import { type Rejected, sortOut } from './sort-out.js';
import { keyOfAuthorization, type Source } from './source.js';

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
      answer(incoming, outgoing, 200, successOf(taken.rejected));
      this.#reporter.taken(arrival, taken);
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

function successOf(rejected: readonly Rejected[]): string {
  if (rejected.length === 0) return SUCCESS;
  return JSON.stringify({
    success: true,
    rejected: rejected.map(({ index, messageId = null, code, message }) => ({ index, messageId, code, message })),
  });
}
