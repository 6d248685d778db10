import { type HeaderBag, type HeaderLookup, headerLookup } from '../signature/headers.js';
import { authenticate } from './authenticate.js';
import { type Answer, answerTo, answerToError, refusalOf, STILL_AT_WORK } from './handled-answer.js';
import { type Dispatch, dispatcher, ignoreErrors } from './handler-dispatcher.js';
import { after, type BodyReader, readBody } from './read-body.js';
import { readEvent } from './read-event.js';
import { RefusedError, tooLarge } from './receiver-errors.js';
import { type ReceiverOptions, type ResolvedReceiverOptions, resolveOptions } from './receiver-options.js';

/** The part of a request that the receiver needs. */
export interface IncomingRequest {
  method: string;
  headers: HeaderBag;
  /** The bytes exactly as they came, or a function that reads them. */
  body: string | Uint8Array | BodyReader;
}

/** The response, and the work that may go on after it. */
export interface Reception {
  readonly answer: Answer;
  /** Resolves when the handler has ended. With a response of 202, that is after the response. Never rejects. */
  readonly settled: Promise<void>;
}

/** Verifies deliveries, reads them and passes the events to `onEvent`. Give it to the adapter of your framework. */
export interface Receiver {
  /** Handles one request. Never rejects: failures are in the response, and go to `onRefused` or `onError`. */
  receive(request: IncomingRequest): Promise<Reception>;
}

/**
 * Creates a receiver of webhook deliveries.
 *
 * @throws OptionError if an option is wrong, or if there are neither `secrets` nor `unsigned: true`
 *
 * @example
 * const receiver = createReceiver({
 *   secrets: process.env.WEBHOOK_SECRET,
 *   onEvent: (event) => {
 *     if (event.type === 'track') console.log(event.userId, event.event);
 *   },
 * });
 * http.createServer(toNodeHandler(receiver)).listen(3000);
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const resolved = resolveOptions(options);
  const dispatch = dispatcher(resolved);
  return { receive: (request) => receive(request, resolved, dispatch) };
}

async function receive(
  request: IncomingRequest,
  options: ResolvedReceiverOptions,
  dispatch: Dispatch,
): Promise<Reception> {
  let isLate = false;
  let stop = (): void => {};
  // The deadline counts from here and not from the end of the body, because the sender has been waiting since then.
  const late = new Promise<void>((resolve) => {
    if (options.respondAfter === false) return;
    stop = after(options.respondAfter, () => {
      isLate = true;
      resolve();
    });
  });
  try {
    const header = headerLookup(request.headers);
    assertReadable(request.method, header, options.maxBytes);
    const body = await readBody(request.body, options);
    const { id } = authenticate(options, header, body);
    const handled = dispatch(readEvent(body), { body, header }, id, () => isLate);
    // If the body came after the deadline, a handler that ends in its first turn still gives the answer.
    const answer = await Promise.race([handled, late.then(() => STILL_AT_WORK)]);
    return { answer, settled: handled.then(() => {}) };
  } catch (error) {
    return { answer: answerToFailure(error, options), settled: Promise.resolve() };
  } finally {
    stop();
  }
}

function answerToFailure(error: unknown, { onRefused, onError }: ResolvedReceiverOptions): Answer {
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    ignoreErrors(() => onRefused(refusal));
    return answerTo(refusal);
  }
  ignoreErrors(() => onError(error, { event: undefined, answered: false }));
  return answerToError(error);
}

/** @throws RefusedError if the body of a request is not worth reading */
function assertReadable(method: string, header: HeaderLookup, maxBytes: number): void {
  if (method !== 'POST') throw new RefusedError(405, 'Deliveries are sent with POST');
  const encoding = header('content-encoding');
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) {
    throw new RefusedError(415, 'The body is compressed; the signature is over the plain bytes, so send those');
  }
  // A browser asks for permission before it sends JSON to another site, so a page cannot post to a receiver of unsigned events.
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
    throw new RefusedError(415, 'Send `Content-Type: application/json`');
  }
  if (Number(header('content-length')) > maxBytes) throw tooLarge(maxBytes);
}
