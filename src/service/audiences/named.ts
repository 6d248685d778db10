/** An audience gives its trait to all its members; a computed trait has a value for each of its users. */
export type ListKind = 'audience' | 'trait';

/** The name of an audience or a computed trait, and the trait under which it is stored. No other one has that trait. */
export interface NamedList {
  readonly kind: ListKind;
  readonly name: string;
  readonly trait: string;
}
