import { isDeepStrictEqual } from 'node:util';
import type { ServiceConfig } from './config.js';

/** The names that only one of two lists has, and those of what differs. */
export interface NamedChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** The differences between the configuration of a running service and another. */
export interface ConfigChanges {
  readonly sources: NamedChanges;
  readonly destinations: NamedChanges;
  readonly adminToken: boolean;
  /** The keys of `admin` that changed. */
  readonly admin: readonly string[];
  /** Keys of other sections that changed: `log.level`. */
  readonly others: readonly string[];
  /** Keys whose change needs a restart: `listen.port`. */
  readonly restart: readonly string[];
  /** All changes in words, one a line, without values. */
  readonly lines: readonly string[];
}

const OTHERS = ['log', 'metrics', 'history', 'audiences'] as const;

/** Compares two configurations. Names no secret. */
export function changesBetween(before: ServiceConfig, after: ServiceConfig): ConfigChanges {
  const changes = {
    sources: namedChanges(before.sources, after.sources),
    destinations: namedChanges(before.destinations, after.destinations),
    adminToken: tokensOf(before) !== tokensOf(after),
    others: OTHERS.flatMap((section) => changedKeys(section, before[section], after[section])),
    admin: changedKeys('admin', { ...before.admin, listen: undefined }, { ...after.admin, listen: undefined }),
    restart: [
      ...changedKeys('listen', before.listen, after.listen),
      ...changedKeys('admin.listen', before.admin.listen, after.admin.listen),
      ...changedKeys('store', before.store, after.store),
    ],
  };
  return { ...changes, lines: linesOf(changes) };
}

const tokensOf = ({ admin: { token, tokens } }: ServiceConfig): string => JSON.stringify([token, tokens]);

/** The new configuration, without the changes that need a restart. */
export const takenOver = (before: ServiceConfig, after: ServiceConfig): ServiceConfig => ({
  ...after,
  listen: before.listen,
  admin: { ...after.admin, listen: before.admin.listen },
  store: before.store,
});

interface Named {
  readonly name: string;
}

function namedChanges(before: readonly Named[], after: readonly Named[]): NamedChanges {
  const old = new Map(before.map((one) => [one.name, one]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    removed: before.flatMap(({ name }) => (names.has(name) ? [] : [name])),
    changed: after.flatMap((one) =>
      old.has(one.name) && !isDeepStrictEqual(old.get(one.name), one) ? [one.name] : [],
    ),
  };
}

function changedKeys(section: string, before: object = {}, after: object = {}): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  return keys.filter((key) => !isDeepStrictEqual(old.get(key), now.get(key))).map((key) => `${section}.${key}`);
}

function linesOf(changes: Omit<ConfigChanges, 'lines'>): string[] {
  return [
    ...linesOfNamed('source', changes.sources),
    ...linesOfNamed('destination', changes.destinations),
    ...changes.admin.map((key) => `${key} changed`),
    ...changes.others.map((key) => `${key} changed`),
    ...changes.restart.map((key) => `${key} changed, and stays as it was until the service is started again`),
  ];
}

const linesOfNamed = (kind: string, { added, removed, changed }: NamedChanges): string[] => [
  ...added.map((name) => `${kind} ${name} is new`),
  ...changed.map((name) => `${kind} ${name} changed`),
  ...removed.map((name) => `${kind} ${name} is gone`),
];
