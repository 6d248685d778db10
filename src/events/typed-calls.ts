import type { AnyObject, With } from '../protocol/any-object.js';
import type { CommonFields } from '../protocol/common.js';
import type { Calls } from '../protocol/message.js';
import type { Catalogue } from './catalogue.js';

/** What each call takes by a catalogue, but for the user; `track` with an event of this name. */
export interface TypedCalls<C extends Catalogue, Name extends string> {
  identify: Typed<Calls['identify'], 'traits', C, 'identify'>;
  track: TrackOf<C, Name>;
  page: Typed<Calls['page'], 'properties', C, 'page', 'traits'>;
  screen: Typed<Calls['screen'], 'properties', C, 'screen'>;
  group: Typed<Calls['group'], 'traits', C, 'group'>;
}

/** The names of the events of a catalogue. */
export type EventName<C extends Catalogue> = keyof EventsOf<C> & string;

/** The properties of an event of a catalogue. */
export type EventProperties<C extends Catalogue, Name extends EventName<C>> = NonNullable<EventsOf<C>[Name]>;

/** The names that `track` takes: any, where the catalogue allows it. Those of the catalogue are offered all the same. */
export type TrackedName<C extends Catalogue> =
  OthersOf<C> extends { readonly allowUnknown: true }
    ? (keyof EventsOf<C> & string) | (string & {})
    : keyof EventsOf<C> & string;

/** What `track` takes of this name, but for the user. Of several names, the properties may be those of any. */
export type TrackOf<C extends Catalogue, Name extends string> = string extends keyof EventsOf<C>
  ? Calls['track']
  : [Name] extends [keyof EventsOf<C>]
    ? CommonFields & { event: Name } & Needed<'properties', EventsOf<C>[Name]>
    : Calls['track'] & { event: Name };

type EventsOf<C extends Catalogue> = NonNullable<C['~types']>['events'];
type OthersOf<C extends Catalogue> = NonNullable<C['~types']>['others'];

type Typed<Call, Field extends string, C extends Catalogue, Other extends string, Alias extends string = never> =
  OthersOf<C> extends { readonly [O in Other]: infer Input } ? Omit<Call, Field | Alias> & Needed<Field, Input> : Call;

/** A field of a call, which may be left out when nothing in it is needed. */
type Needed<Field extends string, Input> = undefined extends Input
  ? { [F in Field]?: Input | null }
  : { [F in Field]: Input };

/** What a caller may give for what a schema takes: with `undefined` among it, when it may be left out. */
export type Given<Input> = unknown extends Input
  ? AnyObject | undefined
  : AsCalled<Input> | (undefined extends Input ? undefined : Record<never, never> extends Input ? undefined : never);

/** An object with any other keys may be of any object type, as without a catalogue: an interface, an instance of a class. */
type AsCalled<Input> = Input extends null | undefined
  ? never
  : [keyof Input] extends [never]
    ? AnyObject
    : string extends keyof Input
      ? unknown extends Input[keyof Input & string]
        ? With<Named<Input>>
        : Input
      : Input;

/** The keys that a type names. */
type Named<Input> = { [K in keyof Input as string extends K ? never : number extends K ? never : K]: Input[K] };
