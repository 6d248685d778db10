import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatMoment, withoutScheme } from '../format-values.js';
import { decode } from '../page-route.js';

/** Returns the time that orders a delivery: its last attempt, or its acceptance if it was never tried. */
export const timeOf = ({ lastAttemptAt, acceptedAt }: DeliveryReport): string => lastAttemptAt ?? acceptedAt;

/** Identifies an event at a webhook: `m1@CRM@crm.example.com/hooks@shop`. Two sources may have used the same id. */
export const keyOfDelivery = ({
  id,
  destination,
  webhook,
  source,
}: Pick<DeliveryReport, 'id' | 'destination' | 'webhook' | 'source'>): string =>
  [id, destination, webhook.id ?? withoutScheme(webhook.url), source ?? []].flat().map(encodeURIComponent).join('@');

/** Parses such a key. Missing parts are empty. */
export function namedIn(key: string): Pick<DeliveryReport, 'id' | 'destination' | 'source'> {
  const [id = '', destination = '', , source = ''] = key.split('@').map(decode);
  return { id, destination, source: source === '' ? null : source };
}

/** Describes how far back the kept attempts go; empty for a list that is not about them. */
export function oldestKeptText({ oldestKept }: Pick<DeliveryPage, 'oldestKept'>, nowMs: number): string {
  if (oldestKept === undefined) return '';
  if (oldestKept === null) return 'No attempts are kept.';
  return `The oldest kept attempt is from ${formatMoment(oldestKept, nowMs)}.`;
}
