import { Analytics } from 'eventferry';
import { addTraceparent, instrumentAnalytics } from 'eventferry/opentelemetry';

export async function POST(request) {
  const analytics = new Analytics({ writeKey: 'k', endpoint: await request.text(), before: addTraceparent });
  const instrumentation = instrumentAnalytics(analytics);
  analytics.track({ userId: 'u1', event: 'Signed Up' });
  const { delivered, lost } = await analytics.close();
  instrumentation.stop();
  return Response.json({ delivered, lost });
}
