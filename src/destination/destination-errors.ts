import { EventferryError } from '../base/errors/errors.js';

/** A call came after `close()`. Nothing was taken, changed or read. */
export class DestinationClosedError extends EventferryError {
  override readonly name = 'DestinationClosedError';
  readonly code = 'EVENTFERRY_DESTINATION_CLOSED';

  constructor() {
    super('The destination is closed: it takes no more messages, and its store is closed too');
  }
}

/**
 * Dead letters of webhooks that are configured no more stay, as several others are configured and `sendTo` does not say which of
 * them gets these. All other letters that were meant have been replayed.
 */
export class ReplayTargetError extends EventferryError {
  override readonly name = 'ReplayTargetError';
  readonly code = 'EVENTFERRY_DESTINATION_REPLAY_TARGET';
  /** The number of deliveries that began anew. */
  readonly replayed: number;
  /** The webhooks whose letters stay, as URLs without what is secret in them. */
  readonly urls: readonly string[];
  /** Those that are configured: each its `id`, or else its URL without what is secret in it. */
  readonly webhooks: readonly string[];

  constructor({ replayed, urls, webhooks }: Pick<ReplayTargetError, 'replayed' | 'urls' | 'webhooks'>) {
    super(
      `${begun(replayed)} anew. The dead letters of ${urls.join(', ')} stay, as no such webhook is configured any more. ` +
        `Say with \`sendTo\` which webhook gets them: ${webhooks.join(', ')}`,
    );
    this.replayed = replayed;
    this.urls = urls;
    this.webhooks = webhooks;
  }
}

/** The name of an endpoint leads to addresses that may not be reached, so no connection was made. */
export class AddressRefusedError extends EventferryError {
  override readonly name = 'AddressRefusedError';
  readonly code = 'EVENTFERRY_DESTINATION_ADDRESS_REFUSED';
  readonly host: string;

  constructor(host: string) {
    super(`${host} has no public address; \`allowCidrs\` and \`allowLoopback\` allow others`);
    this.host = host;
  }
}

const begun = (count: number): string =>
  count === 0 ? 'No delivery begins' : count === 1 ? '1 delivery begins' : `${count} deliveries begin`;
