import { after } from 'next/server';
import { analytics } from '../../analytics.js';

export async function POST(request) {
  const { userId } = await request.json();
  analytics.track({ userId, event: 'Order Completed' });
  // The answer goes out first. Where the platform has no `waitUntil`, Next keeps the server until this is done.
  after(() => analytics.flush({ timeout: 5_000 }));
  return Response.json({ ordered: true });
}
