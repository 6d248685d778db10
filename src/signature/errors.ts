import { EventferryError } from '../errors.js';

/**
 * Something other than the bytes of a body was to be signed or verified: most often the object a framework had parsed.
 * An object cannot be signed, because writing it as JSON again need not give the bytes that were sent.
 */
export class RawBodyError extends EventferryError {
  override readonly name = 'RawBodyError';
  readonly code = 'EVENTFERRY_WEBHOOKS_RAW_BODY';

  constructor(received: string) {
    super(
      `Expected the body as it came, a Uint8Array or a string, got ${received}. Keep the bytes before anything parses ` +
        "them: express.raw({ type: 'application/json' }) in Express, await request.text() in a web handler",
    );
  }
}
