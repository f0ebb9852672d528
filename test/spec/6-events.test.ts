import { send } from '../support/raw.ts';
import { theStack } from '../support/suite-stack.ts';

interface Document {
  readonly paths: Record<string, Record<string, object>>;
  readonly webhooks?: object;
}

const documentOf = async (edge: 'game' | 'launcher'): Promise<Document> => {
  const { url } = (await theStack())[edge];
  return (await send({ method: 'GET', url: `${url}/openapi.json` })).body as Document;
};
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );

// Spec part 6 shows no events: callers ask, nobody is called. What goes between our own services is in events.asyncapi.json.
describe('spec part 6: there is no webhook, push or event stream', () => {
  test('the game server API has its three operations, two of them for many sessions at once too (D-41), and no other', async () => {
    const names = operationsOf(await documentOf('game')).map(({ name }) => name);

    expect(names.sort()).toEqual([
      'DELETE /v1/game/session/end',
      'DELETE /v1/game/sessions/end',
      'PATCH /v1/game/session/heartbeat',
      'PATCH /v1/game/sessions/heartbeat',
      'POST /v1/game/session/verify',
    ]);
  });

  test.each(['game', 'launcher'] as const)('no operation for a %s registers a callback', async (edge) => {
    const document = await documentOf(edge);

    expect(document.webhooks).toBeUndefined();
    for (const { operation } of operationsOf(document)) expect(operation).not.toHaveProperty('callbacks');
  });

  test('an answer comes whole and in JSON: nothing is streamed, whatever the caller would accept', async () => {
    const { game } = await theStack();

    const { status, headers } = await send({
      method: 'POST',
      url: `${game.url}/v1/game/session/verify`,
      headers: {
        'X-Api-Key': game.games[0]!.api_keys[0]!,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
      },
      body: '{"ott":"00000000-0000-4000-8000-000000000000","provider_user_id":"u1"}',
    });

    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers['content-length']).toMatch(/^\d+$/);
  });
});
