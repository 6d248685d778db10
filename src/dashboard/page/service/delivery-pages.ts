import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatMoment, withoutScheme } from '../format-values.js';
import { decode } from '../page-route.js';

/**
 * Holds the rows of a search, at first those of the first page. Once a reader has loaded older pages, each row keeps its place
 * and shows its latest attempt, and new deliveries are only counted.
 */
export class DeliveryPages {
  /** The cursor of the next page; undefined at the end, and before the first page has arrived. */
  next: string | undefined;
  /** True if more deliveries arrived than were counted, because a first page contained no known delivery. */
  hasGap = false;
  /** True for dead letters and waiting deliveries, whose order comes from the service and is kept. */
  readonly #isOrdered: boolean;
  /** Undefined before the first page has arrived. Setting an existing key again keeps its place. */
  #rows: Map<string, DeliveryReport> | undefined;
  readonly #fresh = new Set<string>();
  #isExtended = false;

  constructor(isOrdered = false) {
    this.#isOrdered = isOrdered;
  }

  /** The rows; undefined before the first page has arrived. */
  get rows(): readonly DeliveryReport[] | undefined {
    return this.#rows && [...this.#rows.values()];
  }

  /** The number of new deliveries that are not among the rows. */
  get fresh(): number {
    return this.#fresh.size;
  }

  /** Applies the current first page. */
  takeFirst({ deliveries, next }: DeliveryPage): void {
    const rows = this.#rows;
    if (rows === undefined || !this.#isExtended) {
      this.#rows = new Map();
      this.next = next;
      this.#add(deliveries);
      return;
    }
    const keys = deliveries.map(keyOfDelivery);
    this.hasGap ||= keys.length > 0 && !keys.some((key) => rows.has(key) || this.#fresh.has(key));
    for (const [index, delivery] of deliveries.entries()) {
      const key = keys[index] ?? '';
      if (rows.has(key)) rows.set(key, delivery);
      else this.#fresh.add(key);
    }
  }

  /** Adds the page after `after`. If the same page arrives twice, it is added only once. */
  takeOlder(after: string, { deliveries, next }: DeliveryPage): void {
    if (after !== this.next) return;
    this.#isExtended = true;
    this.next = next;
    this.#add(deliveries.filter((each) => !this.#rows?.has(keyOfDelivery(each))));
  }

  /** Makes the next first page replace all rows. */
  beginAnew(): void {
    this.#isExtended = false;
    this.hasGap = false;
    this.#fresh.clear();
  }

  #add(deliveries: readonly DeliveryReport[]): void {
    // The service sorts by the end of attempts. A long attempt began before shorter ones that ended first.
    const sorted = this.#isOrdered ? deliveries : [...deliveries].sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
    for (const delivery of sorted) this.#rows?.set(keyOfDelivery(delivery), delivery);
  }
}

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
