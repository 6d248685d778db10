import { setImmediate as nextTurn } from 'node:timers/promises';

/** A value, followed by the values of its labels in the order of their names. */
export type Sample = readonly [value: number, ...labels: string[]];

/** A metric, and how its samples are read from a row, such as an endpoint. */
export interface Metric<Row> {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  samples(row: Row): readonly Sample[];
  /** Combines two values that differ only in labels that are left out. @default their sum */
  fold?(one: number, other: number): number;
}

/** A group of metrics that are read in one pass. */
export interface Family {
  /** Reads the values, and sums those that differ only in labels that are left out. */
  read(leftOut: ReadonlySet<string>): Promise<readonly ReadMetric[]>;
}

const PREFIX = 'eventferry_';

/** After this many rows, other work gets a turn. A row has at most a few dozen samples, which take a few µs each. */
const ROWS_A_TURN = 50;

/** Makes a family of metrics that are read from the same rows, in the text format of Prometheus. */
export const family = <Row>(
  rows: () => Iterable<Row> | AsyncIterable<Row>,
  metrics: readonly Metric<Row>[],
): Family => ({
  async read(leftOut) {
    const read = metrics.map((metric) => ({ metric, values: new ReadMetric(metric, leftOut) }));
    try {
      let count = 0;
      for await (const row of rows()) {
        for (const { metric, values } of read) values.putAll(metric.samples(row));
        if (++count % ROWS_A_TURN === 0) await nextTurn();
      }
    } catch {
      // The store could not be read, as `/readyz` and the log report. All other metrics are still returned.
      for (const { values } of read) values.fail();
    }
    await nextTurn();
    return read.map(({ values }) => values);
  },
});

/** Makes a family of metrics that have a single row. */
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
/** Makes a counter whose value is counted elsewhere. */
export const counter = metricOf('counter');

/** Makes a sample of each count, with its name as the last label. */
export const countsOf = (counts: Readonly<Record<string, number>>, ...labels: string[]): Sample[] =>
  Object.entries(counts).map(([name, count]) => [count, ...labels, name]);

/** The values of a metric; `String` returns their text. */
export class ReadMetric {
  readonly #metric: Omit<Metric<never>, 'samples'>;
  readonly #leftOut: ReadonlySet<string>;
  /** The samples by the text of their labels. */
  readonly #values = new Map<string, Sample>();
  /** The length of the text. */
  bytes = 0;

  constructor(metric: Omit<Metric<never>, 'samples'>, leftOut: ReadonlySet<string>) {
    this.#metric = metric;
    this.#leftOut = leftOut;
  }

  /** Sums the values that differ only in these labels. */
  without(leftOut: ReadonlySet<string>): ReadMetric {
    const sums = new ReadMetric(this.#metric, leftOut);
    sums.putAll(this.#values.values());
    return sums;
  }

  putAll(samples: Iterable<Sample>): void {
    for (const sample of samples) this.#put(sample);
  }

  #put(sample: Sample): void {
    const { fold = add, name } = this.#metric;
    const [value, ...labels] = sample;
    const key = this.#labelText(labels);
    const [before] = this.#values.get(key) ?? [];
    if (before === undefined) this.bytes += Buffer.byteLength(`${name}${key} ${value}\n`);
    this.#values.set(key, before === undefined ? sample : [fold(before, value), ...labels]);
  }

  fail(): void {
    this.#values.clear();
    this.bytes = 0;
    if (this.#metric.labels.length === 0) this.#values.set('', [Number.NaN]);
  }

  toString(): string {
    const { name, help, type } = this.#metric;
    const lines = Array.from(this.#values, ([labels, [value]]) => `${name}${labels} ${value}\n`);
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
