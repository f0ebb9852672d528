import type {
  connectKeys,
  GameManifest,
  KeyHolders,
  LauncherKeyManifest,
  OperatorManifest,
} from './kubernetes-keys.ts';

const mostKeys = 2;

type Api = ReturnType<typeof connectKeys>;
type Manifest = GameManifest | OperatorManifest;

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

/** The API server's own message, which client libraries wrap in several layers. */
const messageOf = (error: unknown): string => {
  const { body } = (error ?? {}) as { body?: unknown };
  try {
    const { message } = JSON.parse(String(body)) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Not an answer of the API server.
  }
  return error instanceof Error ? error.message : String(error);
};

const taken = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    throw new Error(`the Kubernetes API did not take it: ${messageOf(error)}`, { cause: error });
  }
};

const found = async <M extends Manifest>(
  api: KeyHolders<M>,
  what: string,
  name: string,
): Promise<M | undefined> => {
  try {
    return await api.read(name);
  } catch (error) {
    if (codeOf(error) === 404) return undefined;
    throw new Error(`the Kubernetes API does not say whether ${what} ${name} is there: ${messageOf(error)}`, {
      cause: error,
    });
  }
};

/**
 * A new key of a Game or an Operator: the object is made, or its entry is added to the one that is there, with what `changed` says anew; a
 * change by somebody else meanwhile is not undone but refused.
 */
export const applyKey = async <M extends Manifest>(
  api: KeyHolders<M>,
  stored: M,
  changed: Partial<M['spec']> = {},
): Promise<string> => {
  const { kind, metadata } = stored;
  const what = kind.toLowerCase();
  const where = `${what} ${metadata.name} in namespace ${api.namespace}`;
  const before = await found(api, what, metadata.name);
  if (before === undefined) {
    await taken(api.create(stored));
    return `made ${where}`;
  }
  const { keys } = before.spec;
  if (keys.length >= mostKeys)
    throw new Error(
      `${where} has two keys already, ${keys.map(({ id }) => id).join(' and ')}: take one out first (kubectl edit ${what} ${metadata.name})`,
    );
  const spec = { ...before.spec, ...changed, keys: [...keys, ...stored.spec.keys] };
  await taken(api.replace(metadata.name, { ...before, spec }));
  return `added to ${where}`;
};

/** A launcher key as a Secret of its own. */
export const applyLauncherKey = async (api: Api, stored: LauncherKeyManifest): Promise<string> => {
  await taken(api.createLauncherKey(stored));
  return `made secret ${stored.metadata.name} in namespace ${api.namespace}`;
};
