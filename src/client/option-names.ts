import { describe } from '../describe.js';
import { OptionError } from '../errors.js';
import { printable, shorten } from '../printable.js';
import { suggest } from '../suggest.js';

const LONGEST_NAME = 40;

const endpoint = "Use `endpoint`: the collector's base URL";
const writeKey = 'Use `writeKey`';
const flushAfter = 'Use `flushAfter`, in milliseconds';
const flushAt =
  'Use `flushAt`: how many waiting messages start a flush; or `maxBatchMessages`: the most in one request';
const enabled = 'Use `enabled`, which means the opposite';
const requestTimeout = 'Use `requestTimeout`, in milliseconds';
const verbose = 'Set the environment variable DEBUG=analytics to log each step; `logger` says where to';
const maxRetries = 'Use `maxRetries`, or `retryFor`, in milliseconds';
const gzip = 'Use `gzip`: true or false';
const onLost = "Listen with `analytics.on('lost', listener)`, or await the `delivered` of a receipt";
const maxQueueBytes = 'Use `maxQueueBytes`: the queue is measured in bytes';
const before = 'Use `before`: a function that sees, changes or drops each message';
const transport = 'Use `transport`: a function that sends one request';

/** What the options of other clients are called here, by their names in lower case without separators. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  host: endpoint,
  url: endpoint,
  uri: endpoint,
  path: endpoint,
  apihost: endpoint,
  apiurl: endpoint,
  baseurl: endpoint,
  serverurl: endpoint,
  dataplaneurl: endpoint,
  key: writeKey,
  apikey: writeKey,
  token: writeKey,
  interval: flushAfter,
  flushinterval: flushAfter,
  flushintervalms: flushAfter,
  size: flushAt,
  batchsize: flushAt,
  maxbatchsize: flushAt,
  flushsize: flushAt,
  maxeventsinbatch: flushAt,
  disable: enabled,
  disabled: enabled,
  optout: enabled,
  timeout: requestTimeout,
  timeoutms: requestTimeout,
  httprequesttimeout: requestTimeout,
  verbose,
  debug: verbose,
  loglevel: verbose,
  retries: maxRetries,
  retrycount: maxRetries,
  maxattempts: maxRetries,
  gzipenabled: gzip,
  compress: gzip,
  compression: gzip,
  callback: onLost,
  errorhandler: onLost,
  onerror: onLost,
  maxqueuesize: maxQueueBytes,
  queuesize: maxQueueBytes,
  beforesend: before,
  middleware: before,
  httpclient: transport,
  fetch: transport,
};

/** What to write instead of the name of an option of `new Analytics` that there is none of. */
export function nameElsewhere(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[_-]/g, '');
  return Object.hasOwn(ELSEWHERE, plain) ? ELSEWHERE[plain] : undefined;
}

/**
 * Refuses what is no object of options, and names that are none of `known`. A string is never shown: it may be a write key.
 *
 * @param example how options are given
 * @param advise what to write instead of a name, where that is not a matter of spelling
 * @throws OptionError
 */
export function checkOptionNames(
  options: unknown,
  known: readonly string[],
  example: string,
  advise: (name: string) => string | undefined = () => undefined,
): asserts options is object {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new OptionError('options', 'an object', describeUnseen(options), `Write ${example}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new OptionError(
    printable(shorten(unknown, LONGEST_NAME)),
    'a known option',
    'an unknown name',
    advise(unknown) ?? spelling(unknown, known),
  );
}

/** Names what stands where options belong. A text there may be a write key. */
export const describeUnseen = (value: unknown): string => (typeof value === 'string' ? 'a string' : describe(value));

function spelling(name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  return meant === undefined ? `There are ${known.join(', ')}` : `Did you mean \`${meant}\`?`;
}
