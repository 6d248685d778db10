/** An audience's members have its trait; a computed trait has a value for each of its users. */
export type Kind = 'audience' | 'trait';

/** An audience or a computed trait as it is called, and as it is kept: its trait belongs to it alone. */
export interface Named {
  readonly kind: Kind;
  readonly name: string;
  readonly trait: string;
}
