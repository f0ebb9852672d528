import type { Metrics } from '#libs/runtime/metrics.ts';

/** What a batch is answered with. */
interface Results {
  readonly results: readonly { readonly status: number }[];
}

/** The endpoint of a batch. */
interface Batch {
  readonly path: string;
}

/** Calls a batch and counts its items by the status that each was answered with; one that is refused as a whole is only a response. */
export const countItems = <C, A extends Results>(
  metrics: Metrics,
  { path }: Batch,
  useCase: (call: C) => Promise<A>,
): ((call: C) => Promise<A>) => {
  const items = metrics.counter('gsb_http_batch_items_total');
  return async (call) => {
    const answer = await useCase(call);
    for (const [status, alike] of Map.groupBy(answer.results, (each) => each.status))
      items.inc({ http_route: path, http_response_status_code: String(status) }, alike.length);
    return answer;
  };
};
