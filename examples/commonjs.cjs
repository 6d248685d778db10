/** The same package from CommonJS. */
const { Analytics } = require('eventferry');

async function main() {
  const analytics = new Analytics({
    writeKey: process.env.EVENTFERRY_WRITE_KEY ?? 'dev',
    endpoint: process.env.EVENTFERRY_ENDPOINT ?? 'http://127.0.0.1:4100',
  });
  analytics.identify({ userId: 'u1', traits: { plan: 'pro' } });
  analytics.group({ userId: 'u1', groupId: 'initech' });
  const { delivered } = await analytics.close();
  console.log(`${delivered} delivered`);
}

main();
