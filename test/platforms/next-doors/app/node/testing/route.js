import { captureAnalytics } from 'eventferry/testing';

export async function POST() {
  const { analytics, events, close } = captureAnalytics();
  analytics.track({ userId: 'u1', event: 'Signed Up' });
  const captured = events.track('Signed Up').length;
  await close();
  return Response.json({ captured });
}
