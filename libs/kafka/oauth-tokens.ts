import kafkajs from 'kafkajs';
import { z } from 'zod';

const requestTimeoutMs = 5_000;
/** A token is not used to its end: clocks differ, and a broker takes a while to look at it. */
const usedShare = 0.8;
/** Where the answer does not say how long a token lives. */
const defaultLifeSec = 60;

/** A client of an OAuth 2.0 server, known by its id and secret. An empty scope asks for none. */
export interface OauthClient {
  readonly tokenUrl: string;
  readonly username: string;
  readonly password: string;
  readonly scope: string;
}

interface Token {
  readonly value: string;
  readonly usedUpAt: number;
}

const answer = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().default(defaultLifeSec),
});

/** What kafkajs tries again: an authorization server that is away is an outage as a broker that is away. */
const unavailable = (why: string) =>
  new kafkajs.KafkaJSConnectionError(`no token for Kafka: ${why}`, { broker: 'the token endpoint' });

/** RFC 6749, 4.4 and 2.3.1. */
const requestOf = ({ username, password, scope }: OauthClient): RequestInit => {
  const basic = Buffer.from(`${encodeURIComponent(username)}:${encodeURIComponent(password)}`);
  return {
    method: 'POST',
    headers: { Authorization: `Basic ${basic.toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== '' && { scope }) }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  };
};

const ask = async (client: OauthClient): Promise<Token> => {
  const response = await fetch(client.tokenUrl, requestOf(client)).catch((error: unknown) => {
    const { cause } = error instanceof Error ? error : {};
    throw unavailable(cause instanceof Error ? cause.message : String(error));
  });
  if (!response.ok) throw unavailable(`the token endpoint answers ${response.status}`);
  const { data } = answer.safeParse(await response.json().catch(() => undefined));
  if (data === undefined) throw unavailable('the token endpoint answers something else than a token');
  return { value: data.access_token, usedUpAt: performance.now() + data.expires_in * 1_000 * usedShare };
};

/**
 * Tokens for Kafka by the client credentials grant: one for all connections, and another one when most of its life is over. Who asks meanwhile
 * waits for the same request. Rejects with an error that kafkajs tries again, which never holds a secret.
 */
export const oauthTokens = (client: OauthClient): (() => Promise<{ value: string }>) => {
  let held: Promise<Token> | undefined;
  const renew = (): Promise<Token> => {
    const asked = ask(client);
    held = asked;
    asked.catch(() => {
      if (held === asked) held = undefined;
    });
    return asked;
  };
  return async () => {
    const asked = held ?? renew();
    const token = await asked;
    if (performance.now() < token.usedUpAt) return { value: token.value };
    const next = held === undefined || held === asked ? renew() : held;
    return { value: (await next).value };
  };
};
