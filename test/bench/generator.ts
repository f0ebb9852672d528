import type { StackFacts } from '#simulators/stack-file.ts';
import { createPool } from './http/pool.ts';
import { operationsOf } from './operations.ts';
import { createPcs } from './pcs.ts';
import { batchSize } from './phases.ts';
import { playersOf } from './players.ts';
import { prepare, runPhase } from './run-phase.ts';
import type { Field, PhaseOrder, PhaseResult } from './run-phase.ts';
import { caughtUp } from './caught-up.ts';
import { driveClosed } from './drive.ts';
import { createRecorder } from './recorder.ts';
import { ok } from './answers.ts';

const timeoutMs = 10_000;

/** What the generator is told when it starts. */
export interface GeneratorOptions {
  readonly launcherUrl: string;
  readonly gameUrl: string;
  readonly game: { readonly id: string; readonly apiKey: string };
  readonly cafes: StackFacts['cafes'];
  readonly services: StackFacts['processes'];
  readonly connections: number;
  readonly mostConnections: number;
}

/** What the generator is asked for; each is answered with `done` or `failed`. */
export type Ask =
  | { readonly ask: 'phase'; readonly order: PhaseOrder }
  | { readonly ask: 'prepare'; readonly order: PhaseOrder }
  | { readonly ask: 'seat'; readonly sessions: number }
  | { readonly ask: 'leave' }
  | { readonly ask: 'ceiling'; readonly url: string; readonly seconds: number };

/** What the generator says. */
export type Said =
  | { readonly say: 'progress'; readonly text: string }
  | { readonly say: 'window'; readonly isOpen: boolean }
  | { readonly say: 'done'; readonly result?: PhaseResult | undefined; readonly perSec?: number | undefined }
  | { readonly say: 'failed'; readonly why: string };

const say = (said: Said): void => void process.send?.(said);

const progress = (text: string): void => say({ say: 'progress', text });

const fieldOf = (options: GeneratorOptions): Field => {
  const { launcherUrl, gameUrl, game, cafes, services, connections, mostConnections } = options;
  const pcs = createPcs(cafes);
  const of = (url: string) => createPool({ url, connections, mostConnections, timeoutMs });
  const [launchers, games] = [of(launcherUrl), of(gameUrl)];
  const operations = operationsOf({ pcs, launchers, games, game, batchSize });
  return {
    ...{ pcs, operations },
    players: playersOf(pcs, operations, progress),
    connections: () => launchers.size + games.size,
    caughtUp: async () => {
      const left = await caughtUp(services);
      if (left > 0) progress(`${left} messages are not handled yet`);
    },
    onWindow: (isOpen) => say({ say: 'window', isOpen }),
  };
};

/** Requests a second that a server can answer at most, with as many connections at once as keep it busy. */
const ceiling = async (url: string, seconds: number): Promise<number> => {
  const pool = createPool({ url, connections: 64, mostConnections: 64, timeoutMs });
  const body = '{"game_session_id":"gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47","provider_user_id":"player-1"}';
  const head = `Host: ${pool.host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const text = `PATCH / HTTP/1.1\r\n${head}\r\n\r\n${body}`;
  const startMs = performance.now();
  const recorder = createRecorder(startMs);
  recorder.open({ fromMs: startMs + 1_000, untilMs: startMs + (1 + seconds) * 1_000 });
  const isRight = (outcome: unknown) => typeof outcome === 'object';
  setTimeout(() => say({ say: 'window', isOpen: true }), 1_000);
  const onDone = (sentMs: number, verdicts: readonly (typeof ok)[]) =>
    recorder.record(sentMs, performance.now(), verdicts);
  await driveClosed({ atOnce: 64, untilMs: startMs + (1 + seconds) * 1_000, onDone }, () => ({
    ...{ pool, text },
    settle: (outcome) => [isRight(outcome) ? ok : { outcome: 'error', why: 'no answer' }],
  }));
  say({ say: 'window', isOpen: false });
  pool.close();
  return recorder.result().achieved / seconds;
};

const answer = async (field: Field, asked: Ask): Promise<Said> => {
  if (asked.ask === 'phase') return { say: 'done', result: await runPhase(field, asked.order) };
  if (asked.ask === 'ceiling') return { say: 'done', perSec: await ceiling(asked.url, asked.seconds) };
  if (asked.ask === 'prepare') await prepare(field, asked.order);
  else await (asked.ask === 'leave' ? field.players.leave() : field.players.seat(asked.sessions));
  return { say: 'done' };
};

/** The load generator, a process of its own: what it costs must not be counted among what it measures. */
const field = fieldOf(JSON.parse(process.argv[2] ?? '{}') as GeneratorOptions);
process.on('message', (asked: Ask) => {
  answer(field, asked).then(say, (error: unknown) =>
    say({ say: 'failed', why: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
say({ say: 'done' });
