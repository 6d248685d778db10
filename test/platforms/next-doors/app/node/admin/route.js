import { AdminClient } from 'eventferry/admin';

export async function POST(request) {
  const admin = new AdminClient({ url: await request.text(), token: 'sixteen-characters-or-more' });
  return Response.json(await admin.status());
}
