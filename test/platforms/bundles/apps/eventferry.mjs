import { Analytics } from 'eventferry';

const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.ENDPOINT, gzip: true });
analytics.track({ userId: 'u1', event: 'Signed Up' });
analytics.close().then(({ delivered, lost }) => console.log(JSON.stringify({ delivered, lost })));
