import { EventferryError } from '../base/errors/errors.js';

/** A call came after `close()`. It accepted, changed and read nothing. */
export class DestinationClosedError extends EventferryError {
  override readonly name = 'DestinationClosedError';
  readonly code = 'EVENTFERRY_DESTINATION_CLOSED';

  constructor() {
    super('The destination is closed: it takes no more messages, and its store is closed too');
  }
}

/**
 * Some dead letters were not replayed: their webhooks are no longer configured, several others are, and `sendTo` does not say
 * which of them receives these letters. All other matching letters were replayed.
 */
export class ReplayTargetError extends EventferryError {
  override readonly name = 'ReplayTargetError';
  readonly code = 'EVENTFERRY_DESTINATION_REPLAY_TARGET';
  /** The number of deliveries that were restarted. */
  readonly replayed: number;
  /** The URLs of the webhooks whose letters were not replayed, with secrets masked. */
  readonly urls: readonly string[];
  /** The configured webhooks: each by its `id` or, without one, by its URL with secrets masked. */
  readonly webhooks: readonly string[];

  constructor({ replayed, urls, webhooks }: Pick<ReplayTargetError, 'replayed' | 'urls' | 'webhooks'>) {
    super(
      `${sent(replayed)} again. The dead letters of ${urls.join(', ')} stay, because no such webhook is configured any more. ` +
        `Name the webhook that gets them in \`sendTo\`: ${webhooks.join(', ')}`,
    );
    this.replayed = replayed;
    this.urls = urls;
    this.webhooks = webhooks;
  }
}

/** The host of an endpoint has only addresses that may not be reached, so no connection was made. */
export class AddressRefusedError extends EventferryError {
  override readonly name = 'AddressRefusedError';
  readonly code = 'EVENTFERRY_DESTINATION_ADDRESS_REFUSED';
  readonly host: string;

  constructor(host: string) {
    super(`${host} has no public address; \`allowCidrs\` and \`allowLoopback\` allow others`);
    this.host = host;
  }
}

const sent = (count: number): string =>
  count === 0 ? 'No delivery is sent' : count === 1 ? '1 delivery is sent' : `${count} deliveries are sent`;
