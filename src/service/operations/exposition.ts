import { setImmediate as nextTurn } from 'node:timers/promises';

/** The values of the labels of a family, and what its metrics read, such as an endpoint. */
export type Row<T> = readonly [labels: readonly string[], row: T];

/** A metric, and how its value is read from a row. */
export interface Metric<T> {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  /** The last label, whose values are the keys of what `read` returns. @default the labels of the family alone */
  readonly by?: string | undefined;
  /** Returns one value, or with `by` several. If it returns undefined, the row has none. */
  read(row: T): number | Readonly<Record<string, number>> | undefined;
  /** Combines two values that differ only in labels that are left out. @default their sum */
  fold?(one: number, other: number): number;
}

/** Reads a group of metrics in one pass, and sums values that differ only in labels that are left out. */
export type Family = (leftOut: ReadonlySet<string>) => Promise<readonly ReadMetric[]>;

const PREFIX = 'eventferry_';

/** After this many rows, other work gets a turn. A row has at most a few dozen values, which take a few µs each. */
const ROWS_A_TURN = 50;

/** Makes a family of metrics that are read from the same rows and have these labels, in the text format of Prometheus. */
export const family =
  <T>(
    labels: readonly string[],
    rows: () => Iterable<Row<T>> | AsyncIterable<Row<T>>,
    metrics: readonly Metric<T>[],
  ): Family =>
  async (leftOut) => {
    const read = metrics.map((metric) => {
      const all = metric.by === undefined ? labels : [...labels, metric.by];
      return { metric, values: new ReadMetric(metric, all, leftOut) };
    });
    try {
      let count = 0;
      for await (const [labelValues, row] of rows()) {
        for (const { metric, values } of read) values.put(labelValues, metric.read(row));
        if (++count % ROWS_A_TURN === 0) await nextTurn();
      }
    } catch {
      // The store could not be read, as `/readyz` and the log report. All other metrics are still returned.
      for (const { values } of read) values.fail();
    }
    await nextTurn();
    return read.map(({ values }) => values);
  };

/** Makes a family of metrics that have a single row, without labels. */
export const familyOfOne = <T>(read: () => T | Promise<T>, metrics: readonly Metric<T>[]): Family =>
  family(
    [],
    async function* () {
      yield [[], await read()] as const;
    },
    metrics,
  );

const metricOf =
  (type: 'gauge' | 'counter') =>
  <T>(name: string, help: string, read: Metric<T>['read'], by?: string): Metric<T> => ({
    type,
    name: PREFIX + name,
    help,
    read,
    by,
  });

export const gauge = metricOf('gauge');
/** Makes a counter whose value is counted elsewhere. */
export const counter = metricOf('counter');

/** The values of a metric; `String` returns their text. */
export class ReadMetric {
  readonly #metric: Omit<Metric<never>, 'read'>;
  readonly #labels: readonly string[];
  readonly #leftOut: ReadonlySet<string>;
  /** Each value and the values of its labels, by the text of the labels. */
  readonly #values = new Map<string, readonly [value: number, labels: readonly string[]]>();
  /** The length of the text. */
  bytes = 0;

  /** @param labels the names of all labels */
  constructor(metric: Omit<Metric<never>, 'read'>, labels: readonly string[], leftOut: ReadonlySet<string>) {
    this.#metric = metric;
    this.#labels = labels;
    this.#leftOut = leftOut;
  }

  /** Sums the values that differ only in these labels. */
  without(leftOut: ReadonlySet<string>): ReadMetric {
    const sums = new ReadMetric(this.#metric, this.#labels, leftOut);
    for (const [value, labels] of this.#values.values()) sums.#put(labels, value);
    return sums;
  }

  /** @param labels the values of the labels of the family */
  put(labels: readonly string[], read: ReturnType<Metric<never>['read']>): void {
    if (typeof read === 'number') this.#put(labels, read);
    else for (const [name, value] of Object.entries<number>(read ?? {})) this.#put([...labels, name], value);
  }

  #put(labels: readonly string[], value: number): void {
    const { fold = add, name } = this.#metric;
    const key = this.#labelText(labels);
    const [before] = this.#values.get(key) ?? [];
    if (before === undefined) this.bytes += Buffer.byteLength(`${name}${key} ${value}\n`);
    this.#values.set(key, [before === undefined ? value : fold(before, value), labels]);
  }

  fail(): void {
    this.#values.clear();
    this.bytes = 0;
    if (this.#labels.length === 0) this.#values.set('', [Number.NaN, []]);
  }

  toString(): string {
    const { name, help, type } = this.#metric;
    const lines = Array.from(this.#values, ([labels, [value]]) => `${name}${labels} ${value}\n`);
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  }

  #labelText(values: readonly string[]): string {
    const shown = this.#labels.flatMap((name, at) =>
      this.#leftOut.has(name) ? [] : [`${name}="${escaped(values[at] ?? '')}"`],
    );
    return shown.length === 0 ? '' : `{${shown.join(',')}}`;
  }
}

const add = (one: number, other: number): number => one + other;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
