import { defineEvents } from 'eventferry/events';
import { Analytics } from 'eventferry/fetch';

const schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } };

export const runtime = 'edge';

export async function POST(request) {
  const events = defineEvents({ 'Signed Up': schema });
  const analytics = new Analytics({ writeKey: 'k', endpoint: await request.text(), events });
  analytics.track({ userId: 'u1', event: 'Signed Up' });
  const { delivered, lost } = await analytics.close();
  return Response.json({ delivered, lost });
}
