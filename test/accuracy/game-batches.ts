import type { History, LineOf } from './history.ts';
import type { Answer } from './answer.ts';
import { isUnsure } from './answer.ts';
import type { CallResult } from '#simulators/http-client.ts';

type Call = LineOf<'call'>;
type Outcome = Pick<Call, 'outcome'> & Partial<Pick<Call, 'sec'>>;

/** How long a game server gathers what it says in one request, in ms, and how much at most. */
const gatherMs = 800;
const mostItems = 500;

/** The item of an answer to a batch that a contract describes (D-41). */
type Result<D> =
  | { readonly gameSessionId: string; readonly status: number; readonly data: D }
  | { readonly gameSessionId: string; readonly status: number; readonly error: { readonly code: string } };

type BatchAnswer<D> = CallResult<{ readonly results: readonly Result<D>[] }>;

/** Whose session an item is about; `body` is the item as it is sent. */
export interface Item<B> {
  readonly pc: string;
  readonly token: number;
  readonly session: string;
  readonly body: B;
}

/** An item on its way. */
export interface InBatch<D> {
  /** Its batch is being sent: what begins now races it. */
  readonly sent: Promise<unknown>;
  readonly answer: Promise<Answer<D>>;
}

interface Waiting<B, D> extends Item<B> {
  readonly onSent: () => void;
  readonly onAnswer: (answer: Answer<D>) => void;
}

/** One kind of batch of a game server. */
interface Kind<B, D> {
  readonly op: Call['op'];
  readonly send: (bodies: readonly B[]) => Promise<BatchAnswer<D>>;
  readonly read: (data: D) => Outcome;
}

/** What is the same for all batches of a run: where they are written down, their numbers, and who wants to know that one is sent. */
export interface Batches {
  readonly history: History;
  /** A number that no other batch has. */
  number(): number;
  onSent(): void;
}

/** What the item of a session was answered, which is the whole batch's answer where that was refused or lost. */
const itemOf = <D>(answer: BatchAnswer<D> | undefined, result: Result<D> | undefined, session: string) => {
  if (!answer?.ok) return { outcome: answer?.code ?? 'NOTHING', status: answer?.status ?? 0 };
  if (result?.gameSessionId !== session) return { outcome: 'ITEM_OF_ANOTHER', status: 200 };
  if ('error' in result) return { outcome: result.error.code, status: result.status };
  return { status: result.status, data: result.data };
};

const resultsOf = <D>(answer: BatchAnswer<D> | undefined, count: number): readonly Result<D>[] =>
  answer?.ok && answer.data.results.length === count ? answer.data.results : [];

/** Gathers calls of one kind and game, and sends them as batches. An item is written down as a call of its own, with the number of its batch. */
export const createBatch = <B, D>(batches: Batches, { op, send, read }: Kind<B, D>) => {
  const { history } = batches;
  let waiting = new Map<string, Waiting<B, D>>();
  const flush = async (): Promise<void> => {
    const items = [...waiting.values()];
    waiting = new Map();
    if (items.length === 0) return;
    const [batch, at] = [batches.number(), history.now()];
    const sending = send(items.map(({ body }) => body)).catch(() => undefined);
    items.forEach(({ onSent }) => onSent());
    batches.onSent();
    const answer = await sending;
    const took = history.now() - at;
    const results = resultsOf(answer, items.length);
    items.forEach(({ pc, token, session, onAnswer }, index) => {
      const { status, ...item } = itemOf(answer, results[index], session);
      const said = 'data' in item ? read(item.data) : item;
      history.add({ kind: 'call', at, took, op, pc, token, session, batch, status, ...said });
      const data = 'data' in item && { data: item.data };
      onAnswer({ outcome: said.outcome, unsure: isUnsure(status), ...data });
    });
  };
  /** A batch names a session once: who says the same again waits for the next. */
  return (item: Item<B>): InBatch<D> => {
    if (waiting.has(item.session) || waiting.size === mostItems) void flush();
    if (waiting.size === 0) setTimeout(() => void flush(), gatherMs);
    const [sent, answer] = [Promise.withResolvers(), Promise.withResolvers<Answer<D>>()];
    waiting.set(item.session, { ...item, onSent: () => sent.resolve(undefined), onAnswer: answer.resolve });
    return { sent: sent.promise, answer: answer.promise };
  };
};
