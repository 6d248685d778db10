import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatMoment, withoutScheme } from '../format-values.js';
import { decode } from '../page-route.js';

/**
 * Holds the rows of a search, which are those of the first page. Once a reader asks for older pages, each row keeps its place
 * and shows its latest attempt, and new deliveries are only counted.
 */
export class DeliveryPages {
  /** Dead letters and waiting deliveries have an order of their own, which the page keeps. */
  readonly #isOrdered: boolean;
  /** Setting a key again leaves it in its place. */
  readonly #rows = new Map<string, DeliveryReport>();
  readonly #fresh = new Set<string>();
  #next: string | undefined;
  #isKnown = false;
  #isExtended = false;
  #hasGap = false;

  constructor(isOrdered = false) {
    this.#isOrdered = isOrdered;
  }

  /** The next page begins behind it. It is undefined at the end, and before the first page has come. */
  get next(): string | undefined {
    return this.#next;
  }

  /** The rows; undefined before the first page has come. */
  get rows(): readonly DeliveryReport[] | undefined {
    return this.#isKnown ? [...this.#rows.values()] : undefined;
  }

  /** The number of new deliveries that are not among the rows. */
  get fresh(): number {
    return this.#fresh.size;
  }

  /** More deliveries came than were counted, as a first page held none that was known. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** Takes the first page as it is now. */
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

  /** Takes the page behind `after`. A page that was asked for twice is taken once. */
  takeOlder(after: string, { deliveries, next }: DeliveryPage): void {
    if (after !== this.#next) return;
    this.#isExtended = true;
    this.#next = next;
    this.#add(deliveries.filter((each) => !this.#rows.has(keyOfDelivery(each))));
  }

  /** Lets the next first page take the place of all rows. */
  beginAnew(): void {
    this.#isExtended = false;
    this.#hasGap = false;
    this.#fresh.clear();
  }

  #add(deliveries: readonly DeliveryReport[]): void {
    // The service sorts by the end of an attempt. A long attempt began before shorter ones that ended first.
    const sorted = this.#isOrdered ? deliveries : [...deliveries].sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
    for (const delivery of sorted) this.#rows.set(keyOfDelivery(delivery), delivery);
  }
}

/** A delivery that was never tried stands where it was accepted. */
export const timeOf = ({ lastAttemptAt, acceptedAt }: DeliveryReport): string => lastAttemptAt ?? acceptedAt;

/** Names one event at one webhook in the address of the page: `m1@CRM@crm.example.com/hooks@shop`. Two sources may have used one id. */
export const keyOfDelivery = ({ id, destination, webhook, source }: DeliveryReport): string =>
  [id, destination, webhook.id ?? withoutScheme(webhook.url), source ?? []].flat().map(encodeURIComponent).join('@');

/** Reads what such a key names. A part that it does not have is empty. */
export function namedIn(key: string): Pick<DeliveryReport, 'id' | 'destination' | 'source'> {
  const [id = '', destination = '', , source = ''] = key.split('@').map(decode);
  return { id, destination, source: source === '' ? null : source };
}

/** Says since when a list of attempts is complete; '' for a list that always is. */
export function wholeFromText(
  { wholeFrom, failuresWholeFrom }: Pick<DeliveryPage, 'wholeFrom' | 'failuresWholeFrom'>,
  nowMs: number,
): string {
  if (wholeFrom === undefined || failuresWholeFrom === undefined) return '';
  if (wholeFrom === null || failuresWholeFrom === null) return 'Nothing is kept.';
  const all = formatMoment(wholeFrom, nowMs);
  if (wholeFrom === failuresWholeFrom) return `Complete since ${all}.`;
  return `Failures are complete since ${formatMoment(failuresWholeFrom, nowMs)}, successes since ${all}.`;
}
