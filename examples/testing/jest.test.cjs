/** With Jest: `npx jest examples/testing/jest.test.cjs` */
const { captureAnalytics, matchers } = require('eventferry/testing');

expect.extend(matchers);

/** The code under test. */
function checkOut(analytics, { userId, total }) {
  analytics.track({ userId, event: 'Order Completed', properties: { total } });
}

const captured = captureAnalytics();
afterEach(() => captured.clear());
afterAll(() => captured.close());

test('an order is tracked with its total', async () => {
  checkOut(captured.analytics, { userId: 'u1', total: 42 });
  expect(captured.events).toHaveSent({ event: 'Order Completed', properties: { total: 42 } });
  await captured.analytics.flush();
  expect(captured.delivered).toHaveLength(1);
});

test('an order that the collector refuses is lost with the reason', async () => {
  captured.failNext(403, { body: 'no such source' });
  checkOut(captured.analytics, { userId: 'u1', total: 42 });
  await captured.analytics.flush();
  expect(captured.lost).toMatchObject([{ message: { event: 'Order Completed' }, error: { status: 403 } }]);
});
