import { OptionError } from '../../base/errors/errors.js';
import { MOST_PARTITIONS } from './partitions.js';

/** Where Redis is, as the options say: one server, or some nodes of a cluster. */
export type Address = { readonly url: string } | { readonly nodes: readonly [string, ...string[]] };

interface AddressOptions {
  readonly url?: string | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly partitions?: number | undefined;
}

/** @throws OptionError. A URL is not repeated: it may hold a password. */
export function addressOf({ url, cluster, partitions }: AddressOptions): Address {
  if (cluster === undefined) return serverAt(url, partitions);
  if (url !== undefined) throw new OptionError('store', 'cluster', 'nothing where `url` is given', 'both');
  if (partitions !== undefined && !isCount(partitions)) {
    throw new OptionError('store', 'partitions', `an integer from 1 to ${MOST_PARTITIONS}`, String(partitions));
  }
  const [first, ...others] = cluster;
  if (!isUrl(first) || !others.every((node) => isUrl(node) && accessOf(node) === accessOf(first))) {
    const expected = 'URLs of one or more nodes, redis:// or rediss://, all with the same user and password';
    throw new OptionError('store', 'cluster', expected, 'something else');
  }
  return { nodes: [first, ...others] };
}

function serverAt(url: string | undefined, partitions: number | undefined): Address {
  if (partitions !== undefined) {
    const expected = 'nothing without `cluster`: one server has one partition';
    throw new OptionError('store', 'partitions', expected, String(partitions));
  }
  if (!isUrl(url)) {
    throw new OptionError('store', 'url', 'a URL of a Redis server, redis:// or rediss://', 'something else');
  }
  return { url };
}

const isCount = (partitions: number): boolean =>
  Number.isInteger(partitions) && partitions >= 1 && partitions <= MOST_PARTITIONS;

const isUrl = (url: string | undefined): url is string =>
  url !== undefined && URL.canParse(url) && ['redis:', 'rediss:'].includes(new URL(url).protocol);

/** How the nodes are spoken to, which has to be the same for all. */
function accessOf(url: string): string {
  const { protocol, username, password } = new URL(url);
  return JSON.stringify([protocol, username, password]);
}
