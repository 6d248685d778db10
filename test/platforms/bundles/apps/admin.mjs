import { createServer } from 'node:http';
import { AdminClient } from 'eventferry/admin';

const token = 'sixteen-characters-or-more';
const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(
    JSON.stringify({ asked: request.headers.authorization === `Bearer ${token}` ? request.url : 'nothing' }),
  );
});
server.listen(0, '127.0.0.1', () => {
  const admin = new AdminClient({ url: `http://127.0.0.1:${server.address().port}`, token });
  admin.status().then((answer) => {
    console.log(JSON.stringify(answer));
    server.closeAllConnections();
    server.close();
  });
});
