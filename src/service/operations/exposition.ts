import { setImmediate as nextTurn } from 'node:timers/promises';

/** A value, and the values of its labels in the order of their names. */
export type Sample = readonly [value: number, ...labels: string[]];

/** A metric, and the samples that it takes from a row, such as an endpoint. */
export interface Metric<Row> {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  samples(row: Row): readonly Sample[];
  /** Makes one value of two where they are summed. @default their sum */
  fold?(one: number, other: number): number;
}

/** Metrics that are read in one pass. */
export interface Family {
  /** Writes their text. A label that is left out makes a sum of what it would have told apart. */
  text(leftOut: ReadonlySet<string>): Promise<string>;
}

const PREFIX = 'eventferry_';

/** After this number of rows, deliveries and requests have their turn. A row has at most a few dozen samples, which take some µs each. */
const ROWS_A_TURN = 50;

/** Metrics of the same rows, in the text format of Prometheus. */
export const family = <Row>(
  rows: () => Iterable<Row> | AsyncIterable<Row>,
  metrics: readonly Metric<Row>[],
): Family => ({
  async text(leftOut) {
    const written = metrics.map((metric) => new WrittenMetric(metric, leftOut));
    try {
      let count = 0;
      for await (const row of rows()) {
        for (const each of written) each.add(row);
        if (++count % ROWS_A_TURN === 0) await nextTurn();
      }
    } catch {
      // The store could not be asked, as `/readyz` and the log say; all other metrics are there.
      for (const each of written) each.fail();
    }
    await nextTurn();
    return written.map(String).join('\n');
  },
});

/** Metrics of a single row. */
export const familyOfOne = <Row>(read: () => Row | Promise<Row>, metrics: readonly Metric<Row>[]): Family =>
  family(async function* () {
    yield await read();
  }, metrics);

const metricOf =
  (type: 'gauge' | 'counter') =>
  <Row>(
    name: string,
    help: string,
    labels: readonly string[],
    samples: (row: Row) => readonly Sample[],
  ): Metric<Row> => ({ type, name: PREFIX + name, help, labels, samples });

export const gauge = metricOf('gauge');
/** For counts that are kept elsewhere. */
export const counter = metricOf('counter');

/** A sample of each count, with its name as the last label. */
export const countsOf = (counts: Readonly<Record<string, number>>, ...labels: string[]): Sample[] =>
  Object.entries(counts).map(([name, count]) => [count, ...labels, name]);

class WrittenMetric<Row> {
  readonly #metric: Metric<Row>;
  readonly #leftOut: ReadonlySet<string>;
  /** By the text of their labels. */
  readonly #values = new Map<string, number>();

  constructor(metric: Metric<Row>, leftOut: ReadonlySet<string>) {
    this.#metric = metric;
    this.#leftOut = leftOut;
  }

  add(row: Row): void {
    const { fold = add, samples } = this.#metric;
    for (const [value, ...labels] of samples(row)) {
      const key = this.#labelText(labels);
      const before = this.#values.get(key);
      this.#values.set(key, before === undefined ? value : fold(before, value));
    }
  }

  fail(): void {
    this.#values.clear();
    if (this.#metric.labels.length === 0) this.#values.set('', Number.NaN);
  }

  toString(): string {
    const { name, help, type } = this.#metric;
    const lines = Array.from(this.#values, ([labels, value]) => `${name}${labels} ${value}\n`);
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  }

  #labelText(values: readonly string[]): string {
    const shown = this.#metric.labels.flatMap((name, at) =>
      this.#leftOut.has(name) ? [] : [`${name}="${escaped(values[at] ?? '')}"`],
    );
    return shown.length === 0 ? '' : `{${shown.join(',')}}`;
  }
}

const add = (one: number, other: number): number => one + other;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
