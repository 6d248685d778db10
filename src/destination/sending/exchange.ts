import type { IncomingHttpHeaders } from 'node:http';
import { SHOWN_HEADERS } from '../../signature/delivery-headers.js';
import { answerText, MOST_ANSWER_BYTES } from './answer-text.js';

/** A request and its answer with secrets masked, as they are shown to people. */
export interface ShownExchange {
  readonly sent: { readonly headers: Readonly<Record<string, string>> };
  /** Undefined when no answer came. */
  readonly answer: ShownAnswer | undefined;
}

export interface ShownAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2 KB of the body. */
  readonly text: string;
  /** True when the body was longer. */
  readonly isCut: boolean;
}

const MASK = '***';

/** Answer headers with such a name are never shown. */
const SECRET_NAME = /auth|cookie|credential|key|password|secret|session|signature|token/i;

/** How many characters of a header value are shown, because an endpoint may send anything. */
const LONGEST_VALUE = 500;
const MOST_CHARACTERS = 4_000;

/**
 * Holds the request and the answer of one attempt. It only keeps references to what the attempt had anyway; masking and decoding
 * wait until somebody looks, because most exchanges are never looked at.
 */
export class Exchange {
  readonly body: Uint8Array;
  readonly #headers: Readonly<Record<string, string>>;
  /** The secrets of the webhook, the longest first. */
  readonly #secrets: readonly string[];
  #answer: { readonly headers: IncomingHttpHeaders; readonly start: string; readonly bytes: number } | undefined;

  constructor(body: Uint8Array, headers: Readonly<Record<string, string>>, secrets: readonly string[]) {
    this.body = body;
    this.#headers = headers;
    this.#secrets = secrets;
  }

  /**
   * @param start the beginning of the body as Latin-1, one character per byte
   * @param bytes the length of the body as far as it was read
   */
  answered(headers: IncomingHttpHeaders, start: string, bytes: number): void {
    this.#answer = { headers, start, bytes };
  }

  /** The estimated memory of the exchange, in bytes. */
  get bytes(): number {
    return this.body.length + (this.#answer?.start.length ?? 0) + EMPTY_BYTES;
  }

  shown(): ShownExchange {
    // A header set by the webhook's owner may hold a secret.
    const isShown = (name: string): boolean => SHOWN_HEADERS.includes(name);
    const sent = Object.entries(this.#headers).map(([name, value]) => [name, isShown(name) ? value : MASK]);
    return { sent: { headers: Object.fromEntries(sent) }, answer: this.#shownAnswer() };
  }

  #shownAnswer(): ShownAnswer | undefined {
    if (this.#answer === undefined) return undefined;
    const { headers, start, bytes } = this.#answer;
    const text = answerText(Buffer.from(start, 'latin1'), this.#secrets);
    return { headers: this.#shownHeaders(headers), text, isCut: bytes > MOST_ANSWER_BYTES };
  }

  #shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
    const shown: Record<string, string> = {};
    let room = MOST_CHARACTERS;
    for (const [name, value = ''] of Object.entries(headers)) {
      const text = this.#shownValue(name, Array.isArray(value) ? value.join(', ') : value);
      room -= name.length + text.length;
      if (room < 0) break;
      shown[name] = text;
    }
    return shown;
  }

  #shownValue(name: string, value: string): string {
    if (SECRET_NAME.test(name)) return MASK;
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value).slice(0, LONGEST_VALUE);
  }
}

/** The estimated memory of the object, its headers and its surroundings, in bytes. */
const EMPTY_BYTES = 1_000;
