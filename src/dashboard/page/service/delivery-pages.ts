import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { keyOfDelivery } from './delivery-key.js';

/**
 * The deliveries of a search that are shown: the first page as it is now. Once older pages are asked for, each row keeps its
 * place and shows its latest attempt, and deliveries that are new are counted.
 */
export class DeliveryPages {
  /** The service has an order of its own: that of dead letters and of what waits. */
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

  /** Where the next page begins; undefined at the end, and before the first page has come. */
  get next(): string | undefined {
    return this.#next;
  }

  /** Undefined before the first page has come. */
  get rows(): readonly DeliveryReport[] | undefined {
    return this.#isKnown ? [...this.#rows.values()] : undefined;
  }

  /** How many deliveries came that are not among the rows. */
  get fresh(): number {
    return this.#fresh.size;
  }

  /** More came than were counted: none of a first page was known. */
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

  /** Takes the page that begins at `after`; one that was asked for twice is taken once. */
  takeOlder(after: string, { deliveries, next }: DeliveryPage): void {
    if (after !== this.#next) return;
    this.#isExtended = true;
    this.#next = next;
    this.#add(deliveries.filter((each) => !this.#rows.has(keyOfDelivery(each))));
  }

  /** The first page that comes next takes the place of all rows. */
  beginAnew(): void {
    this.#isExtended = false;
    this.#hasGap = false;
    this.#fresh.clear();
  }

  #add(deliveries: readonly DeliveryReport[]): void {
    // The service finds them as they ended; a long attempt began before shorter ones that ended first.
    const sorted = this.#isOrdered
      ? deliveries
      : [...deliveries].sort((a, b) => (b.lastAttemptAt ?? '').localeCompare(a.lastAttemptAt ?? ''));
    for (const delivery of sorted) this.#rows.set(keyOfDelivery(delivery), delivery);
  }
}
