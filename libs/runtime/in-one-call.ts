/** What was asked for in this turn, and its answers. */
interface Turn<Item, Answer> {
  readonly items: Item[];
  readonly answers: PromiseWithResolvers<readonly Answer[]>;
}

/** When what was asked for is called: after this turn of the event loop, or already when all promises that wait for nothing else have gone on. */
const moments = { turn: setImmediate, tick: process.nextTick } as const;

/**
 * Asks for many at once: what is asked for in one turn of the event loop, or in one tick of it, is one call of `ask` for each group, of at
 * most `most` items, which returns an answer for each, in order.
 */
export const inOneCall = <Item, Answer>(
  most: number,
  ask: (group: string, items: readonly Item[]) => Promise<readonly Answer[]>,
  of: keyof typeof moments = 'turn',
): ((group: string, item: Item) => Promise<Answer>) => {
  let open = new Map<string, Turn<Item, Answer>>();
  const send = ({ items, answers }: Turn<Item, Answer>, group: string): void => {
    const asking = async () => ask(group, items);
    asking().then(answers.resolve, answers.reject);
  };
  const sendAll = (): void => {
    const all = open;
    open = new Map();
    all.forEach(send);
  };
  const turnOf = (group: string): Turn<Item, Answer> => {
    if (open.size === 0) moments[of](sendAll);
    const turn = open.get(group) ?? { items: [], answers: Promise.withResolvers<readonly Answer[]>() };
    open.set(group, turn);
    return turn;
  };
  return async (group, item) => {
    const turn = turnOf(group);
    const at = turn.items.push(item) - 1;
    if (turn.items.length === most) {
      open.delete(group);
      send(turn, group);
    }
    return (await turn.answers.promise)[at] as Answer;
  };
};
