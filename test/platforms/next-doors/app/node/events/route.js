import { Analytics } from 'eventferry';
import { defineEvents } from 'eventferry/events';

const schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } };

export async function POST(request) {
  const events = defineEvents({ 'Signed Up': schema });
  const analytics = new Analytics({ writeKey: 'k', endpoint: await request.text(), events });
  analytics.track({ userId: 'u1', event: 'Signed Up' });
  const { delivered, lost } = await analytics.close();
  return Response.json({ delivered, lost });
}
