import type * as api from '@opentelemetry/api';
import { metrics, trace } from '@opentelemetry/api';
import { checkOptions, flag, type Rules } from '../base/options/check-options.js';
import { VERSION } from '../version.js';

/** The part of an OpenTelemetry `Meter` by which we recognise one. */
export interface MeterLike {
  createHistogram(name: string): object;
  createObservableCounter(name: string): object;
}

/** The part of an OpenTelemetry `Tracer` by which we recognise one. */
export interface TracerLike {
  startSpan(name: string): object;
}

export interface InstrumentOptions {
  /** Makes the metrics. @default the meter `eventferry` of the registered SDK */
  meter?: MeterLike | undefined;
  /** Makes the spans. @default the tracer `eventferry` of the registered SDK */
  tracer?: TracerLike | undefined;
  /** Attributes of every metric and span, for example to tell several clients of one process apart. @default none */
  attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Measure requests as `http.client.request.duration`, and send the context of the span `flush` with a client's
   * requests, as the SDK's propagator writes it. Set `false` if an instrumentation of HTTP clients does both.
   *
   * @default true
   */
  requests?: boolean | undefined;
}

/** Stops the instrumentation, by `stop()` or `using`. */
export interface Instrumentation extends Disposable {
  stop(): void;
}

export type ResolvedInstrumentOptions = ReturnType<typeof resolveOptions>;

const NAME = 'eventferry';

const has = (method: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function';

const RULES: Rules<InstrumentOptions> = {
  meter: { expected: 'a Meter of OpenTelemetry', holds: has('createObservableCounter') },
  tracer: { expected: 'a Tracer of OpenTelemetry', holds: has('startSpan') },
  attributes: { expected: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  requests: flag,
};

/** @throws OptionError */
export function resolveOptions(options: InstrumentOptions, call: string) {
  const check = { door: 'client', example: `${call}, { attributes: { app: 'shop' } })` } as const;
  const { meter, tracer, attributes = {}, requests = true } = checkOptions(options, RULES, check);
  return {
    // The rules above have checked both as far as possible.
    meter: (meter as api.Meter | undefined) ?? metrics.getMeter(NAME, VERSION),
    tracer: (tracer as api.Tracer | undefined) ?? trace.getTracer(NAME, VERSION),
    attributes,
    requests,
  };
}
