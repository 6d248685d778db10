import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/base/time/clock.js';
import type { ReceivedMessage } from '../../../src/collector/received-message.js';
import { Audiences, type AudiencesOptions } from '../../../src/service/audiences/audiences.js';
import { type Listed, MEMBER } from '../../../src/service/audiences/given-users.js';
import { listedAt } from '../../../src/service/audiences/keys.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

/** Accepts messages as the service does: each id once. */
export class Taken {
  readonly messages: ReceivedMessage[] = [];
  readonly #ids = new Set<string>();
  /** The number of messages that arrived a second time. */
  repeated = 0;

  readonly accept = async (messages: readonly ReceivedMessage[]): Promise<void> => {
    for (const message of messages) {
      if (this.#ids.has(message.messageId)) this.repeated++;
      else this.messages.push(message);
      this.#ids.add(message.messageId);
    }
  };

  /** Returns and forgets what users were told, as `+ann` and `-bob`, in the order of their ids. */
  take(): string[] {
    const told = this.messages.splice(0).map(({ userId, traits }) => {
      const [isMember] = Object.values(traits as Record<string, boolean>);
      return `${isMember ? '+' : '-'}${userId}`;
    });
    return told.sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1));
  }
}

/** Audiences with shortcuts for the calls that most tests make. */
export class TestAudiences extends Audiences {
  replace(name: string, ids: AsyncIterable<string> | Iterable<string>) {
    return this.members.replace(name, membersOfAll(ids));
  }
  change(name: string, change: { join?: readonly unknown[]; leave?: readonly unknown[] }) {
    return this.members.change(name, change);
  }
  remove(name: string) {
    return this.members.remove(name);
  }
  get(name: string) {
    return this.members.get(name);
  }
  list() {
    return this.members.list();
  }
}

async function* membersOfAll(ids: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Listed> {
  for await (const userId of ids) yield { userId, json: MEMBER };
}

export interface Setting {
  audiences: TestAudiences;
  taken: Taken;
  keyValues: KeyValueStore;
  clock: FakeClock;
  errors: unknown[];
}

/** The clock of a process that sleeps: time passes, but no timer fires. */
export const asleep = (clock: FakeClock): Clock => ({
  wall: () => clock.wall(),
  now: () => clock.now(),
  after: () => () => {},
  hold: () => () => {},
});

/** Opens the audiences of one process, with a clock that the test advances. */
export function setUp(options: Partial<AudiencesOptions> = {}): Setting {
  const { keyValues = memoryStorage().keyValues, clock = new FakeClock() } = options;
  const taken = new Taken();
  const errors: unknown[] = [];
  const audiences = new TestAudiences({
    keyValues,
    accept: taken.accept,
    clock,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => audiences.close());
  // A test that passes another clock advances that one itself.
  return { audiences, taken, keyValues, clock: clock as FakeClock, errors };
}

export async function membersOf(keyValues: KeyValueStore, trait: string): Promise<string[]> {
  const entries = await keyValues.list(`member/${encodeURIComponent(trait)}/`, undefined, 1_000_000);
  return entries.map(({ key, value }) => listedAt(key.split('/')[2] ?? '', value).userId);
}

/** Returns what is staged on the store. */
export const stagedOn = async (keyValues: KeyValueStore): Promise<string[]> =>
  (await keyValues.list('staged/', undefined, 1_000_000)).map(({ key }) => key);

/** Waits until everything has happened that does not wait for a timer. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Makes a list whose users arrive when the test gives them. */
export function heldList() {
  const waiting: string[] = [];
  let wake = (): void => {};
  let isOver = false;
  const list = async function* (): AsyncGenerator<string> {
    for (;;) {
      yield* waiting.splice(0);
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    list: list(),
    give: async (ids: readonly string[]) => {
      await settled();
      waiting.push(...ids);
      wake();
      await settled();
    },
    end: () => {
      isOver = true;
      wake();
    },
  };
}
