/** An audience's members have its trait; a computed trait has a value for each of its users. */
export type Kind = 'audience' | 'trait';

/** The name of an audience or a computed trait, and the trait under which it is kept, which belongs to it alone. */
export interface Named {
  readonly kind: Kind;
  readonly name: string;
  readonly trait: string;
}
