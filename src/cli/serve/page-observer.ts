import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReceivedMessage } from '../../collector/received-message.js';
import { recordInto } from '../../dashboard/server/collect.js';
import { Feed } from '../../dashboard/server/live-feed.js';
import { pageHeaders, servicePage } from '../../dashboard/server/page-response.js';
import { RecentMap } from '../../dashboard/server/recent.js';
import { attempted } from '../../dashboard/server/seen-deliveries.js';
import { streamFeed } from '../../dashboard/server/stream.js';
import type { AttemptReport } from '../../destination/destination-events.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import { ENCODERS, encodingFor } from '../../service/api/encoded.js';
import type { Observer } from '../../service/service-observer.js';

/** How many messages are kept by id, to give their deliveries a title. */
const MOST_RECENT = 2_000;

/** How long the record is kept after its last viewer has left, in ms, because the viewer may come back. */
const LINGER_MS = 60_000;

/** Serves the page and its live feed. It records only while a page is open. */
export class PageObserver implements Observer {
  readonly collected: Observer['collected'];
  readonly #html: string;
  readonly #headers: Record<string, string>;
  readonly #feed = new Feed();
  readonly #recent = new RecentMap<ReceivedMessage>(MOST_RECENT);
  readonly #watching = new Set<ServerResponse>();
  #forgetting: NodeJS.Timeout | undefined;

  constructor(html: string) {
    this.#html = servicePage(html);
    this.#headers = pageHeaders(this.#html);
    const record = recordInto(this.#feed);
    this.collected = {
      onMessages: (messages, source, request) => {
        if (this.#isWatched) void record.onMessages(messages, source, request);
      },
      onRejected: (...rejected) => (this.#isWatched ? record.onRejected?.(...rejected) : undefined),
      onAnswered: (...answered) => (this.#isWatched ? record.onAnswered?.(...answered) : undefined),
    };
  }

  coming(messages: readonly ReceivedMessage[]): void {
    if (!this.#isWatched) return;
    for (const message of messages) this.#recent.set(message.messageId, message);
  }

  attempt(report: AttemptReport, destination: string): void {
    if (!this.#isWatched) return;
    const entry = attempted(report, this.#recent.get(report.id));
    this.#feed.add({ ...entry, endpoint: shownUrl(entry.endpoint), destination });
  }

  async page({ headers }: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const bytes = Buffer.from(this.#html);
    const encoding = encodingFor(bytes, String(headers['accept-encoding'] ?? ''));
    const body = encoding === undefined ? bytes : await ENCODERS[encoding](bytes);
    const encoded = encoding === undefined ? {} : { 'Content-Encoding': encoding };
    outgoing.writeHead(200, { ...this.#headers, Vary: 'Accept-Encoding', ...encoded }).end(body);
  }

  feed(incoming: IncomingMessage, outgoing: ServerResponse): void {
    clearTimeout(this.#forgetting);
    this.#watching.add(outgoing);
    outgoing.once('close', () => this.#left(outgoing));
    streamFeed(this.#feed, incoming, outgoing, { snippet: [], isForwarding: true });
  }

  close(): void {
    clearTimeout(this.#forgetting);
    for (const outgoing of this.#watching) outgoing.end();
  }

  get #isWatched(): boolean {
    return this.#watching.size > 0;
  }

  #left(outgoing: ServerResponse): void {
    this.#watching.delete(outgoing);
    if (this.#isWatched) return;
    this.#forgetting = setTimeout(() => {
      this.#feed.clear();
      this.#recent.clear();
    }, LINGER_MS).unref();
  }
}
