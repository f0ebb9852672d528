import { z } from 'zod';
import type { Operator } from '#libs/catalog/catalog.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { kafkaAccess, kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { reaches } from '../../../services/settlement/core/reach.ts';
import { CommandFailure, Misuse, exitCodes, print, runCommand } from '../command-line.ts';
import type { Given } from '../command-line.ts';
import { commandLog } from '../operator.ts';
import { askedBy, firstSearch, idsIn, naming, nextSearch, storyOf } from './find-events.ts';
import type { Asked } from './find-events.ts';
import { readLog } from './read-log.ts';
import type { ToldEvent } from './read-log.ts';
import { entryOf, ledgerLine, stateOf } from './stores.ts';
import { linesOf, summaries } from './story.ts';

const help = `Tells the story of a game session, in order: token, verify, billing, heartbeats, end, what Redis keeps of it now, and the ledger's line.

  npm run session -- gs_…                          one session
  npm run session -- HASH                          the session that a token became, by the SHA-256 of the token
  npm run session -- --player ID                   the sessions of a player, to choose from
  npm run session -- --player -                    the same; the id is a line of stdin, behind that of --key-stdin: no list of processes, and
                                                   no audit log of the Kubernetes API, has it
    --hours N                                      how far back to read the log (24; it keeps sessions for 168)

  It changes nothing. KAFKA_BROKERS, REDIS_URL and DATABASE_URL come from the environment, or from the stack that npm start runs; what
  is not set is not asked. In a pod, each service may read a part only.
  Exit codes: 0 told · 1 failed, or nothing is known of it · 2 wrong use
`;
const hourMs = 3_600_000;
const options = { player: { type: 'string' }, hours: { type: 'string', default: '24' } } as const;

type Seat = Partial<Record<'cafeId' | 'gameId' | 'pcId', string | undefined>>;

/** The seat that events name first, or that the ledger knows: cafe and game, by which an operator may be limited (D-40). */
const seatOf = (events: readonly ToldEvent[], known: Seat = {}): Seat => {
  const first = (field: keyof Seat) =>
    events
      .map(({ text }) => new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1])
      .find((value) => value !== undefined) ?? known[field];
  return { cafeId: first('cafeId'), gameId: first('gameId'), pcId: first('pcId') };
};

const nothing = (): CommandFailure =>
  new CommandFailure('nothing is known of it: too long ago (see --hours), or it never was', exitCodes.failed);

const warn = (unread: readonly string[]): void => {
  if (unread.length > 0) print(`! this process could not read ${unread.join(', ')}`);
};

interface Context {
  readonly kafka: KafkaConnection;
  readonly sinceMs: number;
  readonly operator: Operator | undefined;
}

/** Whether the operator may know of who sits there; a scheduled job may. */
const mayKnow = ({ operator }: Context, seat: Seat): boolean =>
  operator === undefined || reaches(operator, seat);

const tellOne = async (session: string, known: readonly ToldEvent[], context: Context): Promise<number> => {
  const { kafka, sinceMs } = context;
  const { events: found, unread } = await readLog(kafka, { ...nextSearch(session, known), sinceMs });
  const events = storyOf(session, found);
  const [ledger, state] = [await entryOf(process.env, session), await stateOf(process.env, session)];
  const seat = seatOf(naming(session, events), ledger.entry);
  const { cafeId, gameId, pcId } = seat;
  if ((events.length === 0 && ledger.entry === undefined) || !mayKnow(context, seat)) throw nothing();
  const [traced] = events.filter(({ event }) => event.name === 'billing.started');
  print(`${session}  ${gameId ?? '?'} at ${cafeId ?? '?'}, ${pcId ?? '?'}`);
  print(
    events.length === 0
      ? 'the log tells nothing of it in these hours (see --hours)\n'
      : `trace ${traced?.traceId ?? '?'}: verify, billing and end are one trace (D-22)\n`,
  );
  for (const line of linesOf(events)) print(line);
  print(`\n${state}\n${ledgerLine(ledger)}`);
  warn(unread);
  return exitCodes.done;
};

const tell = async (asked: Asked, context: Context): Promise<number> => {
  const { kafka, sinceMs } = context;
  const { events, unread } = await readLog(kafka, { ...firstSearch(asked), sinceMs });
  if (asked.kind === 'session') return tellOne(asked.id, events, context);
  const sessions = [...idsIn(events).sessions];
  const allowed = sessions.filter((id) => mayKnow(context, seatOf(naming(id, events))));
  const [only] = allowed;
  if (asked.kind === 'token' && only !== undefined && allowed.length === 1)
    return tellOne(only, events, context);
  const lines =
    asked.kind === 'token' && sessions.length === 0 && mayKnow(context, seatOf(events))
      ? linesOf(events)
      : [];
  if (allowed.length === 0 && lines.length === 0) throw nothing();
  for (const line of [...lines, ...summaries(events, new Set(allowed))]) print(line);
  warn(unread);
  return exitCodes.done;
};

const run = async (
  given: Given<typeof options>,
  positionals: readonly string[],
  operator: Operator | undefined,
): Promise<number> => {
  const asked = askedBy(positionals[0], given.player);
  if (asked === undefined || positionals.length > 1)
    throw new Misuse('say which: gs_…, the SHA-256 of a token, or --player');
  const hours = z.coerce.number().int().min(1).max(720).safeParse(given.hours);
  if (!hours.success) throw new Misuse('--hours is a whole number from 1 to 720');
  const access = kafkaAccess(readConfig(withKafka(z.object(kafkaSettings)), process.env));
  const kafka = connectKafka({ ...access, clientId: 'session', log: commandLog('session') });
  return tell(asked, { kafka, sinceMs: Date.now() - hours.data * hourMs, operator });
};

const audited = { words: /^(gs_[0-9a-f-]{36}|[0-9a-f]{64})$/, hours: /^\d{1,3}$/ };

runCommand({
  name: 'session',
  role: 'sessions:read',
  help,
  options,
  audited,
  player: 'player',
  allowPositionals: true,
  run,
});
