import type * as api from '@opentelemetry/api';
import { metrics, trace } from '@opentelemetry/api';
import { anything, checkOptions, flag, type Rules } from '../base/options/check-options.js';
import { VERSION } from '../version.js';

/** As much of an OpenTelemetry `Meter` as tells it from other things. */
export interface MeterLike {
  createHistogram(name: string): object;
  createObservableCounter(name: string): object;
}

/** As much of an OpenTelemetry `Tracer` as tells it from other things. */
export interface TracerLike {
  startSpan(name: string): object;
}

export interface InstrumentOptions {
  /** Makes the metrics. @default the meter `eventferry` of the SDK that is registered */
  meter?: MeterLike | undefined;
  /** Makes the spans. @default the tracer `eventferry` of the SDK that is registered */
  tracer?: TracerLike | undefined;
  /** Attributes of every metric and span: they tell several clients of one process apart. @default none */
  attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Whether requests are measured as `http.client.request.duration`, and those of a client carry the context of the span `flush`, as
   * the propagator of the SDK writes it. Set `false` where an instrumentation of HTTP clients does both.
   * @default true
   */
  requests?: boolean | undefined;
}

/** Ends the instrumentation. */
export interface Instrumentation extends Disposable {
  stop(): void;
}

export interface ResolvedOptions {
  readonly meter: api.Meter;
  readonly tracer: api.Tracer;
  readonly attributes: api.Attributes;
  readonly requests: boolean;
}

const NAME = 'eventferry';

const has = (method: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function';

const RULES: Rules<InstrumentOptions> = {
  meter: { expected: 'a Meter of OpenTelemetry', holds: has('createObservableCounter') },
  tracer: { expected: 'a Tracer of OpenTelemetry', holds: has('startSpan') },
  attributes: anything,
  requests: flag,
};

/** @throws OptionError */
export function resolveOptions(options: InstrumentOptions, call: string): ResolvedOptions {
  checkOptions(options, RULES, { door: 'client', example: `${call}, { attributes: { app: 'shop' } })` });
  const { meter, tracer, attributes = {}, requests = true } = options;
  return {
    // Checked above, as far as it goes.
    meter: (meter as api.Meter | undefined) ?? metrics.getMeter(NAME, VERSION),
    tracer: (tracer as api.Tracer | undefined) ?? trace.getTracer(NAME, VERSION),
    attributes,
    requests,
  };
}
