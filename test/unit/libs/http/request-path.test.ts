import { requestPath } from '#libs/http/request-path.ts';

test.each([
  ['/v1/start', '/v1/start'],
  ['/v1/start?a=/b#c', '/v1/start'],
  ['/v1/start#b', '/v1/start'],
  ['http://host:80/v1/start?a', '/v1/start'],
  ['HTTPS://host/v1/start', '/v1/start'],
  ['//host/v1/start', '//host/v1/start'],
  ['*', '*'],
  ['', ''],
])('the path of a request for %s is %s', (url, path) => {
  expect(requestPath({ url })).toBe(path);
});
