import { expect, test } from 'vitest';
import { instrumentAnalytics } from '../../src/opentelemetry/instrument-analytics.js';
import { captureAnalytics } from '../../src/testing/index.js';
import { startSdk } from './sdk.js';

test.each<[object, string]>([
  [{ meter: {} }, 'Expected `meter` to be a Meter of OpenTelemetry, got an object'],
  [{ tracer: 'global' }, 'Expected `tracer` to be a Tracer of OpenTelemetry, got string "global"'],
  [{ requests: 1 }, 'Expected `requests` to be true or false, got number 1'],
  [{ metre: 1 }, '`meter`'],
])('the option %o is refused', (options, message) => {
  expect(() => instrumentAnalytics(captureAnalytics().analytics, options)).toThrow(message);
});

test('without the option `tracer`, the one of the registered SDK is used', async () => {
  const { spans } = startSdk();
  await using captured = captureAnalytics();
  instrumentAnalytics(captured.analytics);
  captured.analytics.track({ userId: 'u1', event: 'Order Completed' });
  await captured.close();
  expect(spans()).toMatchObject([{ name: 'flush', instrumentationScope: { name: 'eventferry' } }]);
});
