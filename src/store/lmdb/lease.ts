import type { ProcessIdentity } from '../../this-process.js';

/** A process that has the storage open, as it tells the others. */
export interface ProcessRecord extends ProcessIdentity {
  /** Changes every few seconds, as long as the process is well and not alone. */
  readonly beat: number;
}

/** Processes are numbered from 1. */
export const NOBODY = 0;

/** Who hands out a destination's deliveries. */
export interface Lease {
  /** The number of a process, or of none. */
  readonly holder: number;
  /** Goes up each time a process takes it, the holder included. */
  readonly term: number;
}

/** Since when, on the observer's clock, another process has shown the same beat. No clocks of two processes are compared. */
export interface Sighting {
  readonly beat: number;
  readonly since: number;
}

/** What is written in the storage. */
export interface Mailbox {
  readonly processes: ReadonlyMap<number, ProcessRecord>;
  /** By the number of the destination. */
  readonly leases: ReadonlyMap<number, Lease>;
}

/** What one process knows besides. */
export interface Member {
  readonly me: number;
  readonly sightings: ReadonlyMap<number, Sighting>;
  /** The terms in which it leads, by destination. */
  readonly leading: ReadonlyMap<number, number>;
  /** The destinations that it could lead. */
  readonly wanted: ReadonlySet<number>;
}

/** What a process finds it has to do. */
export interface Plan {
  readonly sightings: ReadonlyMap<number, Sighting>;
  /** Others that are dead, or have been silent for too long. */
  readonly gone: readonly number[];
  /** Destinations it leads no longer. */
  readonly stop: readonly number[];
  /** Destinations it should try to take. */
  readonly take: readonly number[];
  readonly isAlone: boolean;
}

/** For how long a process may be silent before others do its work. */
export const SILENCE_MS = 10_000;

export function plan(mailbox: Mailbox, member: Member, now: number, isDead: (record: ProcessRecord) => boolean): Plan {
  const { me, leading, wanted } = member;
  const others = [...mailbox.processes].filter(([number]) => number !== me);
  const sightings = new Map(others.map(([number, { beat }]) => [number, sighted(member, number, beat, now)]));
  const gone = others
    .filter(([number, record]) => isDead(record) || now - (sightings.get(number)?.since ?? now) >= SILENCE_MS)
    .map(([number]) => number);
  // Others thought it gone and threw away what they had for it.
  const isForgotten = !mailbox.processes.has(me);
  const leads = ([destination, term]: readonly [number, number]): boolean => {
    const lease = mailbox.leases.get(destination);
    return !isForgotten && lease?.holder === me && lease.term === term;
  };
  const isFree = (destination: number): boolean => {
    const { holder } = mailbox.leases.get(destination) ?? { holder: NOBODY };
    // NOBODY has no record either.
    return holder === me || gone.includes(holder) || !mailbox.processes.has(holder);
  };
  return {
    sightings,
    gone,
    stop: [...leading].filter((entry) => !leads(entry)).map(([destination]) => destination),
    take: [...wanted].filter((destination) => !leading.has(destination) && isFree(destination)),
    isAlone: gone.length === others.length,
  };
}

/** Whether a lease that a plan would take is still as the plan saw it. Asked where nothing comes between this and the taking. */
export function mayTake(
  destination: number,
  { me, sightings }: Pick<Member, 'me' | 'sightings'>,
  seen: Mailbox,
  now: { lease: Lease | undefined; holder: ProcessRecord | undefined },
): boolean {
  const before = seen.leases.get(destination);
  if (now.lease?.holder !== before?.holder || now.lease?.term !== before?.term) return false;
  const { holder } = now.lease ?? { holder: NOBODY };
  return holder === me || isSilent(sightings.get(holder), now.holder);
}

/** Whether a process that was found gone has shown nothing since. */
export const isSilent = (sighting: Sighting | undefined, record: ProcessRecord | undefined): boolean =>
  record === undefined || record.beat === sighting?.beat;

function sighted({ sightings }: Member, number: number, beat: number, now: number): Sighting {
  const before = sightings.get(number);
  return before?.beat === beat ? before : { beat, since: now };
}
