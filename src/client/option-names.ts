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
const maxQueueBytes = 'Use `maxQueueBytes`: the queue is measured in bytes; or `maxBatchBytes`, of one request';
const retryFor = 'Use `retryFor`, in milliseconds';
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
  fetchretrycount: maxRetries,
  fetchretrydelay: maxRetries,
  axiosretryconfig: maxRetries,
  maxtotalbackoffduration: retryFor,
  maxratelimitduration: retryFor,
  gzipenabled: gzip,
  compress: gzip,
  disablecompression: gzip,
  compression: gzip,
  callback: onLost,
  errorhandler: onLost,
  onerror: onLost,
  maxqueuesize: maxQueueBytes,
  maxinternalqueuesize: maxQueueBytes,
  queuesize: maxQueueBytes,
  beforesend: before,
  middleware: before,
  httpclient: transport,
  fetch: transport,
  axiosconfig: transport,
  axiosinstance: transport,
  oauthsettings: 'Use `headers`: a function that makes them for each request',
  defaultcontext: 'Use `context`',
};

/** What to write instead of the name of an option of `new Analytics` that there is none of. */
export function nameElsewhere(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[_-]/g, '');
  return Object.hasOwn(ELSEWHERE, plain) ? ELSEWHERE[plain] : undefined;
}
