const checkEveryMs = 500;
const checkTimeoutMs = 1_000;
/** A slow answer on a busy machine is no reason to leave a replica out; three in a row are, about as long as the chart's probe waits. */
const mostSilentChecks = 3;

/** A replica behind the proxy: where it answers, and the URL that answers 200 while it may be asked. */
export interface Upstream {
  readonly name: string;
  readonly port: number;
  readonly readyUrl: string;
}

/** The replicas that requests go to, in turn; those that are not ready are left out. */
export interface UpstreamPool {
  /** The next one that is ready and was not tried yet; undefined when there is none. */
  next(tried: ReadonlySet<Upstream>): Upstream | undefined;
  /** It refused a connection: left out until a check finds it ready. */
  refused(upstream: Upstream): void;
  ready(): readonly string[];
  /** Asks a replica for nothing until `release`, as an ingress a pod that ends. */
  hold(name: string): void;
  release(name: string): void;
  close(): void;
}

/** The result of a check; `silent`: nothing in time. */
const checked = async (url: string): Promise<'ready' | 'not ready' | 'silent'> => {
  try {
    const { ok } = await fetch(url, { signal: AbortSignal.timeout(checkTimeoutMs) });
    return ok ? 'ready' : 'not ready';
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError' ? 'silent' : 'not ready';
  }
};

/** Checks each replica twice a second, one check at a time. A replica counts as ready until a check says otherwise. */
export const createUpstreamPool = (upstreams: readonly Upstream[]): UpstreamPool => {
  const silentChecks = new Map<Upstream, number>(upstreams.map((each) => [each, 0]));
  const asked = new Set<Upstream>();
  const held = new Set<string>();
  const isReady = (upstream: Upstream) =>
    !held.has(upstream.name) && (silentChecks.get(upstream) ?? 0) < mostSilentChecks;
  const leaveOut = (upstream: Upstream) => void silentChecks.set(upstream, mostSilentChecks);
  const check = async (upstream: Upstream): Promise<void> => {
    if (asked.has(upstream)) return;
    asked.add(upstream);
    const result = await checked(upstream.readyUrl);
    asked.delete(upstream);
    if (result === 'ready') silentChecks.set(upstream, 0);
    else if (result === 'not ready') leaveOut(upstream);
    else silentChecks.set(upstream, (silentChecks.get(upstream) ?? 0) + 1);
  };
  const timer = setInterval(() => upstreams.forEach((each) => void check(each)), checkEveryMs).unref();
  let turn = 0;
  return {
    next: (tried) => {
      turn += 1;
      const inTurn = upstreams.map((_, index) => upstreams[(turn + index) % upstreams.length]);
      return inTurn.find((each) => each !== undefined && isReady(each) && !tried.has(each));
    },
    refused: leaveOut,
    ready: () => upstreams.filter(isReady).map(({ name }) => name),
    hold: (name) => void held.add(name),
    release: (name) => void held.delete(name),
    close: () => clearInterval(timer),
  };
};
