import {
  checkOptions,
  checkValues,
  integer,
  oneOf,
  type Rules,
  required,
  text,
} from '../../base/options/check-options.js';
import type { WebhookEventType } from '../../protocol/webhook-event.js';
import { COMMON_HEADERS, signatureHeaders } from '../../signature/delivery-headers.js';
import {
  DEFAULT_SCHEMES,
  faultInSigningSecret,
  SCHEME_LIST,
  type SignatureSchemeName,
  schemesOf,
} from '../../signature/schemes.js';
import { assertNoFault } from '../../signature/secret.js';
import { sampleEvents } from './sample-events.js';

/** A delivery in the form that `fetch(url, delivery)` and `new Request(url, delivery)` accept. */
export interface SampleDelivery {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
}

export interface SampleOptions {
  /** The secret that signs the delivery. Give a wrong one to test that it is refused, or none to send it unsigned. */
  secret?: string | undefined;
  /** Fields that are added to the sample or replace its own: `{ messageId: 'm-2', properties: { total: 7 } }`. */
  fields?: Record<string, unknown> | undefined;
  /** The schemes that sign the delivery. @default ['x-signature'] */
  sign?: readonly SignatureSchemeName[] | undefined;
  /** The `webhook-id`. @default `sample-` followed by the type */
  webhookId?: string | undefined;
  /** The `webhook-timestamp`, in seconds since 1970. @default now */
  timestampSeconds?: number | undefined;
}

const RULES: Rules<SampleOptions> = {
  // `sign` refuses an empty secret.
  secret: { ...text, isSecret: true },
  fields: { expected: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  sign: SCHEME_LIST,
  webhookId: text,
  timestampSeconds: integer(0),
};

/**
 * Makes a delivery of one type, signed as the sender would sign it.
 *
 * @throws OptionError
 *
 * @example
 * const response = await fetch('http://127.0.0.1:3000/webhooks', sampleDelivery('track', { secret: 'shhh' }));
 */
export function sampleDelivery(type: WebhookEventType, given: SampleOptions = {}): SampleDelivery {
  checkValues({ type }, { type: required(oneOf(...types)) }, { door: 'webhooks' });
  const options = checkOptions(given, RULES, {
    door: 'webhooks',
    example: "sampleDelivery('track', { secret: 'shhh' })",
  });
  const { secret, fields, sign = DEFAULT_SCHEMES, webhookId: id = `sample-${type}`, timestampSeconds } = options;
  const signing = schemesOf(sign);
  if (secret !== undefined) assertNoFault('secret', faultInSigningSecret(secret, signing));
  const body = JSON.stringify({ ...sampleEvents[type], ...fields });
  const now = timestampSeconds === undefined ? Date.now() : timestampSeconds * 1_000;
  const signatures = secret === undefined ? {} : signatureHeaders({ id, body, now }, signing, secret);
  return { method: 'POST', headers: { ...COMMON_HEADERS, ...signatures }, body };
}

/**
 * Makes a delivery of each of the seven types.
 *
 * @example
 * for (const delivery of sampleDeliveries({ secret: 'shhh' })) await fetch('http://127.0.0.1:3000/webhooks', delivery);
 */
export const sampleDeliveries = (options: Omit<SampleOptions, 'fields' | 'webhookId'> = {}): SampleDelivery[] =>
  types.map((type) => sampleDelivery(type, options));

const types = Object.values(sampleEvents).map(({ type }) => type);
