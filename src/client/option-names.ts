/** Advice on our option, and other clients' names for it, in lower case without separators. */
const ELSEWHERE: readonly (readonly [advice: string, names: string])[] = [
  ["Use `endpoint`: the collector's base URL", 'host url uri path apihost apiurl baseurl serverurl dataplaneurl'],
  ['Use `writeKey`', 'key apikey token'],
  ['Use `flushAfter`, in milliseconds', 'interval flushinterval flushintervalms'],
  [
    'Use `flushAt`: how many waiting messages start a flush; or `maxBatchMessages`: the most in one request',
    'batchsize maxbatchsize flushsize maxeventsinbatch',
  ],
  ['Use `enabled`, which means the opposite', 'disable disabled optout'],
  ['Use `requestTimeout`, in milliseconds', 'timeout timeoutms httprequesttimeout'],
  ['Set the environment variable DEBUG=analytics to log each step; `logger` says where to', 'verbose debug loglevel'],
  [
    'Use `maxRetries`, or `retryFor`, in milliseconds',
    'retries retrycount maxattempts fetchretrycount fetchretrydelay axiosretryconfig retryafter maxtotalbackoffduration maxratelimitduration',
  ],
  ['Use `gzip`: true or false', 'gzipenabled compress compression disablecompression'],
  [
    "Listen with `analytics.on('lost', listener)`, or await the `delivered` of a receipt",
    'callback errorhandler onerror',
  ],
  [
    'Use `maxQueueBytes`: the queue is measured in bytes; or `maxBatchBytes`, of one request',
    'maxqueuesize queuesize maxinternalqueuesize',
  ],
  ['Use `before`: a function that sees, changes or drops each message', 'beforesend middleware'],
  ['Use `transport`: a function that sends one request', 'httpclient fetch axiosconfig axiosinstance'],
  ['Use `headers`: a function makes them for each request', 'oauthsettings'],
  ['Use `context`', 'defaultcontext'],
];

/** Returns advice that names our option for an unknown one that other clients have. */
export function nameElsewhere(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[_-]/g, '');
  return ELSEWHERE.find(([, names]) => names.split(' ').includes(plain))?.[0];
}
