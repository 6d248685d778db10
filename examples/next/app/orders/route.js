import { analytics } from '../../analytics.js';

export async function POST(request) {
  const { userId } = await request.json();
  analytics.track({ userId, event: 'Order Completed' });
  return Response.json({ ordered: true });
}
