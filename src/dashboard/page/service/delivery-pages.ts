import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatMoment, withoutScheme } from '../format-values.js';
import { decode } from '../page-route.js';

/**
 * Holds the rows of a search, at first those of the first page. Once a reader has loaded older pages, each row keeps its place
 * and shows its latest attempt, and new deliveries are only counted.
 */
export class DeliveryPages {
  /** True for dead letters and waiting deliveries, whose order comes from the service and is kept. */
  readonly #isOrdered: boolean;
  /** Setting an existing key again keeps its place. */
  readonly #rows = new Map<string, DeliveryReport>();
  readonly #fresh = new Set<string>();
  #next: string | undefined;
  #isKnown = false;
  #isExtended = false;
  #hasGap = false;

  constructor(isOrdered = false) {
    this.#isOrdered = isOrdered;
  }

  /** The cursor of the next page; undefined at the end, and before the first page has arrived. */
  get next(): string | undefined {
    return this.#next;
  }

  /** The rows; undefined before the first page has arrived. */
  get rows(): readonly DeliveryReport[] | undefined {
    return this.#isKnown ? [...this.#rows.values()] : undefined;
  }

  /** The number of new deliveries that are not among the rows. */
  get fresh(): number {
    return this.#fresh.size;
  }

  /** True if more deliveries arrived than were counted, because a first page contained no known delivery. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** Applies the current first page. */
  takeFirst({ deliveries, next }: DeliveryPage): void {
    this.#isKnown = true;
    if (!this.#isExtended) {
      this.#rows.clear();
      this.#next = next;
      this.#add(deliveries);
      return;
    }
    const isKnown = (key: string): boolean => this.#rows.has(key) || this.#fresh.has(key);
    this.#hasGap ||= deliveries.length > 0 && !deliveries.some((each) => isKnown(keyOfDelivery(each)));
    for (const delivery of deliveries) {
      const key = keyOfDelivery(delivery);
      if (this.#rows.has(key)) this.#rows.set(key, delivery);
      else this.#fresh.add(key);
    }
  }

  /** Adds the page after `after`. If the same page arrives twice, it is added only once. */
  takeOlder(after: string, { deliveries, next }: DeliveryPage): void {
    if (after !== this.#next) return;
    this.#isExtended = true;
    this.#next = next;
    this.#add(deliveries.filter((each) => !this.#rows.has(keyOfDelivery(each))));
  }

  /** Makes the next first page replace all rows. */
  beginAnew(): void {
    this.#isExtended = false;
    this.#hasGap = false;
    this.#fresh.clear();
  }

  #add(deliveries: readonly DeliveryReport[]): void {
    // The service sorts by the end of attempts. A long attempt began before shorter ones that ended first.
    const sorted = this.#isOrdered ? deliveries : [...deliveries].sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
    for (const delivery of sorted) this.#rows.set(keyOfDelivery(delivery), delivery);
  }
}

/** Returns the time that orders a delivery: its last attempt, or its acceptance if it was never tried. */
export const timeOf = ({ lastAttemptAt, acceptedAt }: DeliveryReport): string => lastAttemptAt ?? acceptedAt;

/** Identifies an event at a webhook: `m1@CRM@crm.example.com/hooks@shop`. Two sources may have used the same id. */
export const keyOfDelivery = ({ id, destination, webhook, source }: DeliveryReport): string =>
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
