import { checkOptions, integer, type Rules, text } from '../base/options/check-options.js';
import type { Transport, TransportAnswer, TransportRequest } from '../client/transport/transport.js';
import type { Message } from '../protocol/message.js';
import { isRecord } from '../protocol/plain.js';
import { checkArgument } from './capture-options.js';

/** A request that the client made, including those made while the collector was offline. */
export interface CapturedRequest {
  readonly url: string;
  /** The headers that were sent, without `Authorization`, which contains the write key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly messages: readonly Message[];
  /** Undefined for a request of an import. */
  readonly sentAt: string | undefined;
  /** The status of the response; undefined if the collector was offline. */
  readonly status: number | undefined;
}

export interface FailureOptions {
  /** The number of requests that fail in a row. @default 1 */
  times?: number | undefined;
  /** The headers of the response, such as `{ 'retry-after': '30' }`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The body of the response. @default empty */
  body?: string | undefined;
}

const FAILURE_RULES: Rules<FailureOptions> = {
  times: integer(1),
  headers: { expected: 'an object of names and values', holds: isRecord },
  body: text,
};

/** A collector in memory that accepts each batch, unless a test has asked for something else. */
export class MemoryCollector {
  readonly #requests: CapturedRequest[];
  readonly #failures: TransportAnswer[] = [];
  /** The reasons of the messages to refuse, by id. */
  readonly #rejected = new Map<string, string>();
  #isOffline = false;

  constructor(requests: CapturedRequest[]) {
    this.#requests = requests;
  }

  /** @throws OptionError */
  readonly failNext = (status: number, options: FailureOptions = {}): void => {
    const check = { door: 'client', example: 'failNext(503, { times: 2 })' } as const;
    const { times = 1, headers = {}, body = '' } = checkOptions(options, FAILURE_RULES, check);
    const isStatus = Number.isInteger(status) && status >= 100 && status <= 599;
    checkArgument('failNext', isStatus, 'called with a status from 100 to 599', status);
    for (let time = 0; time < times; time++) this.#failures.push({ status, headers, body });
  };

  readonly offline = (): void => {
    this.#isOffline = true;
  };

  readonly online = (): void => {
    this.#isOffline = false;
  };

  /** @throws OptionError */
  readonly reject = (messageId: string, reason = 'refused by the test'): void => {
    checkArgument(
      'reject',
      typeof messageId === 'string' && messageId !== '',
      'called with the id of a message',
      messageId,
    );
    checkArgument('reject', typeof reason === 'string', 'called with a reason that is a string', reason);
    this.#rejected.set(messageId, reason);
  };

  /** Accepts everything again. */
  recover(): void {
    this.#isOffline = false;
    this.#failures.length = 0;
    this.#rejected.clear();
  }

  readonly transport: Transport = async (request) => {
    const { batch: messages, sentAt } = read(request);
    const answer = this.#isOffline ? undefined : (this.#failures.shift() ?? this.#acceptanceOf(messages));
    const headers = withoutKey(request.headers);
    this.#requests.push({ url: request.url, headers, messages, sentAt, status: answer?.status });
    if (answer !== undefined) return answer;
    throw Object.assign(new Error('the collector is offline'), { code: 'ECONNREFUSED' });
  };

  /** Answers like our collector: 400 if it accepts none of the messages. */
  #acceptanceOf(messages: readonly Message[]): TransportAnswer {
    const rejected = messages.flatMap(({ messageId }, index) => {
      const message = this.#rejected.get(messageId);
      return message === undefined ? [] : [{ index, messageId, code: 'rejected', message }];
    });
    const status = rejected.length > 0 && rejected.length === messages.length ? 400 : 200;
    return {
      status,
      body: JSON.stringify(rejected.length === 0 ? { success: true } : { success: status === 200, rejected }),
    };
  }
}

const withoutKey = (headers: TransportRequest['headers']): TransportRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));

function read({ headers, body }: TransportRequest): Pick<CapturedRequest, 'sentAt'> & { batch: readonly Message[] } {
  const isZipped = headers['Content-Encoding'] === 'gzip';
  const bytes = isZipped ? process.getBuiltinModule('node:zlib').gunzipSync(body) : body;
  return JSON.parse(new TextDecoder().decode(bytes));
}
