import type { Attributes } from '@opentelemetry/api';
import type { ResolvedInstrumentOptions } from './instrument-options.js';

/** The bucket boundaries in seconds that the semantic conventions recommend. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The result of a request: the status of its response, or an error code if there was none. */
export interface RequestEnd {
  readonly url: string;
  readonly durationMs: number;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
}

/** Returns a function that records requests by the semantic conventions of HTTP clients. */
export function requestDuration({ meter, attributes }: ResolvedInstrumentOptions): (end: RequestEnd) => void {
  const histogram = meter.createHistogram('http.client.request.duration', {
    description: 'Duration of HTTP client requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  return ({ url, durationMs, status, code }) => {
    const isFailure = status === undefined || status >= 400;
    histogram.record(durationMs / 1_000, {
      ...attributes,
      'http.request.method': 'POST',
      ...addressOf(url),
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(isFailure && { 'error.type': code ?? String(status ?? '_OTHER') }),
    });
  };
}

/** Leaves out the path and the query, which may contain secrets. */
export function addressOf(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { protocol, hostname, port } = new URL(url);
  // A Unix socket has no host.
  if (hostname === '') return {};
  return {
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
  };
}
