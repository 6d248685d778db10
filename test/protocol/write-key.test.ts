import { expect, test } from 'vitest';
import { Collector } from '../../src/collector/index.js';
import { Analytics as WebAnalytics } from '../../src/fetch/index.js';
import { Analytics } from '../../src/index.js';
import { captureAnalytics } from '../../src/testing/index.js';

const endpoint = 'http://127.0.0.1:1';

/** Every place that accepts a write key. */
const places: Readonly<Record<string, (writeKey: string) => unknown>> = {
  'the client': (writeKey) => new Analytics({ writeKey, endpoint }),
  'the client for the web': (writeKey) => new WebAnalytics({ writeKey, endpoint }),
  'a captured client': (writeKey) => captureAnalytics({ writeKey }),
  'a source of the collector': (writeKey) => new Collector({ sources: [{ name: 'a', writeKey }], onMessages() {} }),
  'the keys of the collector': (writeKey) => new Collector({ writeKeys: [writeKey], onMessages() {} }),
};
const wrong = ['', ' ', '\u200b', 'undefined', 'NaN', '[object Object]', '{{key}}', 'a:b', 'a\n'];
const right = ['dev', 'a key with spaces and é', '0', 'phc_Aa-1=='];

test.each(Object.entries(places))(
  '%s refuses a write key that stands for a missing value, and accepts others',
  (_, make) => {
    for (const key of wrong) expect(() => make(key), key).toThrow(/writeKey` to be a non-empty string without a colon/);
    for (const key of right) expect(() => make(key), key).not.toThrow();
    expect(() => make('undefined')).toThrow('got the text "undefined"');
  },
);
