import {
  createReceiver,
  type FailureContext,
  type IncomingRequest,
  type ReceiverOptions,
  type RefusedError,
} from '../../src/webhooks/index.js';
import { type SampleDelivery, sampleDelivery } from '../../src/webhooks/testing/index.js';

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const track = sampleDelivery('track', { secret });

/** Makes a receiver, and records what each of its callbacks gets. */
export function setUp(options: Partial<ReceiverOptions> = {}) {
  const events: unknown[] = [];
  const failures: [unknown, FailureContext][] = [];
  const refusals: RefusedError[] = [];
  const receiver = createReceiver({
    secrets: secret,
    onEvent: (event) => events.push(event),
    onError: (error, context) => failures.push([error, context]),
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  });
  const receive = async (request: IncomingRequest = track) => (await receiver.receive(request)).answer;
  return { receiver, receive, events, failures, refusals };
}

/** Makes a promise, with the functions that settle it. */
export function gate() {
  let open = (): void => {};
  let fail = (_: Error): void => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open: () => open(), fail: (error: Error) => fail(error) };
}

export const withHeaders = (headers: Record<string, string>, delivery = track): SampleDelivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});
