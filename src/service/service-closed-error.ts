import { EventferryError } from '../base/errors/errors.js';

/** Thrown by calls after `close()`. Nothing was changed. */
export class ServiceClosedError extends EventferryError {
  override readonly name = 'ServiceClosedError';
  readonly code = 'EVENTFERRY_SERVICE_CLOSED';

  constructor() {
    super('The service is closed: it neither listens nor takes another configuration');
  }
}
