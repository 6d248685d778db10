import { EventferryError } from '../base/errors/errors.js';

/** The receiver refused a delivery and told the sender. `onRefused` gets this error; it is not thrown to a caller. */
export class RefusedError extends EventferryError {
  override readonly name = 'RefusedError';
  readonly code = 'EVENTFERRY_WEBHOOKS_REFUSED';
  /** The HTTP status of the response: 400, 401, 405, 408, 413 or 415. */
  readonly status: number;

  constructor(status: number, reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.status = status;
  }
}

export const tooLarge = (maxBytes: number): RefusedError =>
  new RefusedError(413, `The body is larger than ${maxBytes} bytes`);

/** Something read the body before the receiver could, so its bytes are gone. The response is 500, so the sender tries again. */
export class BodyConsumedError extends EventferryError {
  override readonly name = 'BodyConsumedError';
  readonly code = 'EVENTFERRY_WEBHOOKS_BODY_CONSUMED';

  constructor(cure: string) {
    super(`The body was read before the receiver could verify its bytes. ${cure}`);
  }
}
