import {
  type Attributes,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { DiagnosticsMessages } from '../client/report/channels.js';
import type { ResolvedInstrumentOptions } from './instrument-options.js';
import { addressOf } from './request-duration.js';

/** The number of links that an SDK keeps for one span. */
const MOST_LINKS = 128;
/** The most waiting batches with links. An outage may leave many, and each keeps the contexts of its messages. */
const MOST_BATCHES = 1_000;

type Told<Name extends string> = DiagnosticsMessages[`eventferry:${Name}` & keyof DiagnosticsMessages];

interface OpenSpan {
  readonly span: Span;
  delivered: number;
  lost: number;
}

/** Makes a span for each batch, from its first request until all its messages ended, linked to the spans that tracked them. */
export class FlushSpans {
  readonly #options: ResolvedInstrumentOptions;
  readonly #links = new Map<string, Map<string, SpanContext>>();
  readonly #open = new Map<string, OpenSpan>();
  /** The collector's address, known after the first request. */
  #address: Attributes = {};

  constructor(options: ResolvedInstrumentOptions) {
    this.#options = options;
  }

  /** Must be called while the caller's span is active. */
  accepted({ batch }: Told<'message:accepted'>): void {
    const context = trace.getActiveSpan()?.spanContext();
    if (context === undefined || !trace.isSpanContextValid(context)) return;
    const contexts = this.#links.get(batch) ?? new Map<string, SpanContext>();
    if (contexts.size < MOST_LINKS) contexts.set(context.spanId, context);
    this.#links.set(batch, contexts);
    if (this.#links.size <= MOST_BATCHES) return;
    const [oldest = ''] = this.#links.keys();
    this.#links.delete(oldest);
  }

  flushed(told: Told<'batch:flushed'>): void {
    const span = this.#open.get(told.batch)?.span ?? this.#start(told);
    // If `requests` is false, another instrumentation writes the headers.
    if (this.#options.requests) propagation.inject(trace.setSpan(ROOT_CONTEXT, span), told.headers);
  }

  #start({ batch, messages, bytes }: Told<'batch:flushed'>): Span {
    const links: Link[] = [...(this.#links.get(batch)?.values() ?? [])].map((context) => ({ context }));
    this.#links.delete(batch);
    const attributes = {
      ...this.#options.attributes,
      'messaging.system': 'eventferry',
      'messaging.operation.name': 'flush',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': messages,
      'messaging.message.id': batch,
      'messaging.message.body.size': bytes,
    };
    // A batch belongs equally to all its messages, so its span is a root span in none of their traces.
    const span = this.#options.tracer.startSpan('flush', { kind: SpanKind.PRODUCER, root: true, links, attributes });
    this.#open.set(batch, { span, delivered: 0, lost: 0 });
    return span;
  }

  requested({ url }: Told<'request:started'>): void {
    if (Object.keys(this.#address).length === 0) this.#address = addressOf(url);
  }

  retried({ batch, attempt, delayMs, error }: Told<'batch:retried'>): void {
    const attributes = { 'eventferry.attempt': attempt, 'eventferry.delay_ms': delayMs, 'error.type': error.code };
    this.#open.get(batch)?.span.addEvent('retry', attributes);
  }

  ended({ batch, delivered, lost, pending, error }: Told<'batch:ended'>): void {
    this.#links.delete(batch);
    const open = this.#open.get(batch);
    if (open === undefined) return;
    open.delivered += delivered;
    open.lost += lost;
    if (error !== undefined) open.span.setAttribute('error.type', error.code);
    if (pending > 0) return;
    this.#open.delete(batch);
    const counts = { 'eventferry.delivered': open.delivered, 'eventferry.lost': open.lost };
    open.span.setAttributes({ ...this.#address, ...counts });
    if (open.lost > 0) open.span.setStatus({ code: SpanStatusCode.ERROR });
    open.span.end();
  }

  /** Ends the spans of batches in flight. */
  stop(): void {
    for (const { span } of this.#open.values()) span.end();
    this.#open.clear();
    this.#links.clear();
  }
}
