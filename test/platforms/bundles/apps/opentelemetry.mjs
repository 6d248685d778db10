import { Analytics } from 'eventferry';
import { addTraceparent, instrumentAnalytics } from 'eventferry/opentelemetry';

const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.ENDPOINT, before: addTraceparent });
const instrumentation = instrumentAnalytics(analytics);
analytics.track({ userId: 'u1', event: 'Signed Up' });
analytics.close().then(({ delivered, lost }) => {
  instrumentation.stop();
  console.log(JSON.stringify({ delivered, lost }));
});
