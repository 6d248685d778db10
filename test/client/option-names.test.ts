import { expect, test } from 'vitest';
import { DEFAULTS } from '../../src/client/analytics-options.js';
import { nameElsewhere } from '../../src/client/option-names.js';
import { Analytics } from '../../src/index.js';

test.each<[string, string]>([
  ['host', "Use `endpoint`: the collector's base URL"],
  ['dataPlaneUrl', "Use `endpoint`: the collector's base URL"],
  ['api_key', 'Use `writeKey`'],
  ['flushInterval', 'Use `flushAfter`, in milliseconds'],
  ['Interval', 'Use `flushAfter`, in milliseconds'],
  ['maxEventsInBatch', 'Use `flushAt`: how many waiting messages start a flush'],
  ['BatchSize', 'Use `flushAt`: how many waiting messages start a flush'],
  ['disable', 'Use `enabled`, which means the opposite'],
  ['httpRequestTimeout', 'Use `requestTimeout`, in milliseconds'],
  ['Verbose', 'DEBUG=analytics'],
  ['retryCount', 'Use `maxRetries`'],
  ['gzipEnabled', 'Use `gzip`'],
  ['errorHandler', "analytics.on('lost', listener)"],
  ['maxQueueSize', 'Use `maxQueueBytes`'],
  ['beforeSend', 'Use `before`'],
])("the error for another client's option %s advises: %s", (name, advice) => {
  expect(nameElsewhere(name)).toContain(advice);
  const options = { writeKey: 'dev', endpoint: 'http://127.0.0.1:1', [name]: 1 };
  expect(() => new Analytics(options)).toThrow(advice);
});

test.each([...Object.keys(DEFAULTS), 'constructor', '__proto__', ''])(
  'nameElsewhere gives no advice for %j',
  (name) => {
    expect(nameElsewhere(name)).toBeUndefined();
  },
);
