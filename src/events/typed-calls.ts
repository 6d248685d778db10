import type { AnyObject, With } from '../protocol/any-object.js';
import type { Calls } from '../protocol/calls.js';
import type { CommonFields } from '../protocol/common.js';
import type { Catalogue } from './catalogue.js';

/** The argument of each call under a catalogue, without the user's ids; `Name` is the event of `track`. */
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

/**
 * The event names that `track` accepts: any string if the catalogue allows unknown events. Editors still suggest those
 * of the catalogue.
 */
export type TrackedName<C extends Catalogue> =
  OthersOf<C> extends { readonly allowUnknown: true }
    ? (keyof EventsOf<C> & string) | (string & {})
    : keyof EventsOf<C> & string;

/**
 * The argument of `track` for this event, without the user's ids. If `Name` is a union, the properties may be those of
 * any of its events.
 */
export type TrackOf<C extends Catalogue, Name extends string> = string extends keyof EventsOf<C>
  ? Calls['track']
  : [Name] extends [keyof EventsOf<C>]
    ? CommonFields & { event: Name } & Needed<'properties', EventsOf<C>[Name]>
    : Calls['track'] & { event: Name };

type EventsOf<C extends Catalogue> = NonNullable<C['~types']>['events'];
type OthersOf<C extends Catalogue> = NonNullable<C['~types']>['others'];

type Typed<Call, Field extends string, C extends Catalogue, Other extends string, Alias extends string = never> =
  OthersOf<C> extends { readonly [O in Other]: infer Input } ? Omit<Call, Field | Alias> & Needed<Field, Input> : Call;

/** A field of a call. It is optional if none of its contents is required. */
type Needed<Field extends string, Input> = undefined extends Input
  ? { [F in Field]?: Input | null }
  : { [F in Field]: Input };

/** The type that a caller may give for a schema's input. It includes `undefined` if the field may be left out. */
export type Given<Input> = unknown extends Input
  ? AnyObject | undefined
  : AsCalled<Input> | (undefined extends Input ? undefined : Record<never, never> extends Input ? undefined : never);

/** If other keys are allowed, the value may be of any object type, as without a catalogue: an interface or an instance of a class. */
type AsCalled<Input> = Input extends null | undefined
  ? never
  : [keyof Input] extends [never]
    ? AnyObject
    : string extends keyof Input
      ? unknown extends Input[keyof Input & string]
        ? With<KnownKeys<Input>>
        : Input
      : Input;

/** Removes the index signatures from a type, so that only its named keys remain. */
type KnownKeys<Input> = { [K in keyof Input as string extends K ? never : number extends K ? never : K]: Input[K] };
