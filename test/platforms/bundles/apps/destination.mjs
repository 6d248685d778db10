import { Destination } from 'eventferry/destination';

async function main() {
  const destination = await Destination.open({ webhooks: [{ url: process.env.ENDPOINT }], allowLoopback: true });
  const delivered = new Promise((resolve) => destination.on('delivered', resolve));
  await destination.deliver({
    type: 'track',
    userId: 'u1',
    event: 'Signed Up',
    timestamp: new Date(),
    messageId: 'm1',
  });
  const { id } = await delivered;
  await destination.close();
  console.log(JSON.stringify({ delivered: id }));
}

main();
