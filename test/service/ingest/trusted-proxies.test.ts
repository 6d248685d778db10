import { expect, onTestFinished, test, vi } from 'vitest';
import { ByteBudget } from '../../../src/collector/byte-budget.js';
import { Collector } from '../../../src/collector/index.js';
import { post } from '../../collector/support.js';
import { configOf, serving, track } from '../support.js';

/** Each function starts a server at that address and returns its URL. */
const doors = {
  collector: async (host: string, trustedProxies: number): Promise<string> => {
    const collector = new Collector({ writeKeys: ['dev'], trustedProxies, onMessages: () => {} });
    onTestFinished(() => collector.close());
    return (await collector.listen({ host, port: 0 })).url;
  },
  service: async (host: string, trustedProxies: number): Promise<string> =>
    (await serving(configOf({ listen: { host, port: 0, trustedProxies } }))).url,
};

const FORGED = '203.0.113.9';

test.each(
  (['collector', 'service'] as const).flatMap((door) =>
    (
      [
        ['127.0.0.1', 0, FORGED, '127.0.0.1'],
        ['::1', 0, FORGED, '::1'],
        ['127.0.0.1', 1, `${FORGED}, 192.0.2.7`, '192.0.2.7'],
        ['::1', 1, `${FORGED}, 2001:db8::7`, '2001:db8::7'],
        ['::1', 1, `${FORGED}, [2001:db8::7]:4711`, '2001:db8::7'],
        ['127.0.0.1', 2, `${FORGED}, 192.0.2.7, 10.0.0.1`, '192.0.2.7'],
        // A socket for both families writes an IPv4 address as an IPv6 address, and all such addresses share one /64.
        ['::', 0, FORGED, '127.0.0.1'],
      ] as const
    ).map((row) => [door, ...row] as const),
  ),
)('a request to the %s at %s behind %i trusted proxies, forwarded for %s, counts for %s', async (...row) => {
  const [door, host, trustedProxies, forwardedFor, address] = row;
  const open = vi.spyOn(ByteBudget.prototype, 'open');
  onTestFinished(() => open.mockRestore());
  const url = await doors[door](host, trustedProxies);
  // A server at `::` reports the URL of `::1`.
  const reached = host === '::' ? url.replace('[::1]', '127.0.0.1') : url;
  const { status } = await post(reached, { batch: [track('m1')] }, { 'x-forwarded-for': forwardedFor });
  expect(status).toBe(200);
  expect(open).toHaveBeenCalledExactlyOnceWith(address);
});
