/** As much of `zod/mini` as the client uses: the first thing that is wrong with a value, and where it is. */

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface Looked {
  readonly value: unknown;
  readonly issues: Issue[];
}

type Check = (looked: Looked) => void;

class Schema {
  readonly #look: Check;
  readonly #checks: readonly Check[];

  constructor(look: Check, checks: readonly Check[] = []) {
    this.#look = look;
    this.#checks = checks;
  }

  /** The same, and checks that are made when all else is right. */
  check(...checks: readonly Check[]): Schema {
    return new Schema(this.#look, [...this.#checks, ...checks]);
  }

  safeParse(value: unknown) {
    const issues = this.issuesOf(value);
    return issues.length === 0 ? { success: true } : { success: false, error: { issues } };
  }

  issuesOf(value: unknown): Issue[] {
    const issues: Issue[] = [];
    for (const look of [this.#look, ...this.#checks]) if (issues.length === 0) look({ value, issues });
    return issues;
  }
}

type Told = string | ((issue: { input: unknown }) => string);

export const custom = (holds: (value: unknown) => boolean, { error }: { error: Told }): Schema =>
  new Schema(({ value, issues }) => {
    if (!holds(value)) issues.push({ path: [], message: typeof error === 'string' ? error : error({ input: value }) });
  });

export const refine =
  (holds: (value: unknown) => boolean, { path, error }: { path: PropertyKey[]; error: string }): Check =>
  ({ value, issues }) => {
    if (!holds(value)) issues.push({ path, message: error });
  };

export const nullish = (schema: Schema): Schema =>
  new Schema(({ value, issues }) => {
    if (value != null) issues.push(...schema.issuesOf(value));
  });

export const object = (fields: Readonly<Record<string, Schema>>): Schema =>
  new Schema(({ value, issues }) => {
    for (const [key, schema] of Object.entries(fields)) {
      for (const issue of schema.issuesOf((value as Record<string, unknown>)[key])) {
        issues.push({ ...issue, path: [key, ...issue.path] });
      }
    }
  });
