import { Analytics } from 'eventferry';
import { withRun } from 'eventferry/middleware';

export async function POST(request) {
  const analytics = new Analytics({ writeKey: 'k', endpoint: await request.text() });
  const handle = withRun(analytics, () => analytics.current.track({ event: 'Signed Up' }), { userId: () => 'u1' });
  handle(request);
  const { delivered, lost } = await analytics.close();
  return Response.json({ delivered, lost });
}
