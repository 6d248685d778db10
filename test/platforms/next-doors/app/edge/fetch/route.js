import { Analytics } from 'eventferry/fetch';

export const runtime = 'edge';

export async function POST(request) {
  const analytics = new Analytics({ writeKey: 'k', endpoint: await request.text() });
  analytics.track({ userId: 'u1', event: 'Signed Up' });
  const { delivered, lost } = await analytics.close();
  return Response.json({ delivered, lost });
}
