import { createServer } from 'node:http';
import { Analytics } from 'eventferry';
import { expressMiddleware } from 'eventferry/middleware';

const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.ENDPOINT });
const named = expressMiddleware(analytics, { anonymousId: { cookie: 'aid' } });

const server = createServer((request, response) =>
  named(request, response, () => {
    analytics.current.page({ name: 'Home' });
    response.end();
  }),
);
server.listen(0, '127.0.0.1', () => {
  const visiting = fetch(`http://127.0.0.1:${server.address().port}/`, { headers: { cookie: 'aid=a1' } });
  visiting
    .then(() => analytics.close())
    .then(({ delivered, lost }) => {
      server.closeAllConnections();
      server.close();
      console.log(JSON.stringify({ delivered, lost }));
    });
});
