export interface Target {
  readonly what: string;
  readonly limit: string;
  readonly measured: string;
  readonly isMet: boolean;
  /** Whether noise alone may be why it is missed. */
  readonly isNear?: boolean;
}

export interface Results {
  readonly machine: string;
  readonly measurements: Readonly<
    Record<
      string,
      {
        readonly title: string;
        readonly note: string;
        readonly tables: readonly { readonly head: readonly string[]; readonly body: readonly (readonly string[])[] }[];
        readonly targets: readonly Target[];
      }
    >
  >;
}

export function sectionsOf(results: Results, costs: object): Record<string, Record<string, string>>;
export function resultsPage(results: Results): string;
export function filledIn(page: string, sections: Record<string, string>): string;
