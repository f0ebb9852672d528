import { parse } from 'yaml';
import { asDocument } from '#libs/catalog/cluster-objects.ts';
import type { ClusterObject } from '#libs/catalog/cluster-objects.ts';
import { launcherKeyObject } from '#libs/catalog/catalog-objects.ts';
import { cafeKeyIdTooLong, derivePcSecret, pcIdOf, pcKeyId } from '#libs/catalog/pc-keys.ts';

/** A PC's own launcher key, as its launcher needs it. */
export interface PcKey {
  readonly machine_id: string;
  readonly key_id: string;
  readonly secret: string;
}

/** A cafe's launcher key from the YAML that `npm run key` prints, or that `kubectl get secret -o yaml` does. Throws an error without its values. */
const readLauncherKey = (text: string) => {
  const document = parse(text) as ClusterObject;
  const { data, error } = launcherKeyObject.safeParse(
    document?.data === undefined ? document : asDocument(document),
  );
  if (error?.issues.some(({ message }) => message === cafeKeyIdTooLong))
    throw new Error(`the name of the Secret ${cafeKeyIdTooLong}`);
  if (error) throw new Error('stdin must be the YAML of a launcher key’s Secret');
  return data;
};

/** The keys of a cafe's PCs, derived from the cafe's own (D-48). */
export const derivePcKeys = (launcherKeyYaml: string, machineIds: readonly string[]): PcKey[] => {
  const { metadata, stringData } = readLauncherKey(launcherKeyYaml);
  return machineIds.map((machineId) => {
    const pcId = pcIdOf(stringData.cafe_id, machineId);
    const secret = derivePcSecret(Buffer.from(stringData.secret, 'base64'), pcId);
    return {
      machine_id: machineId,
      key_id: pcKeyId(metadata.name, pcId),
      secret: secret.toString('base64'),
    };
  });
};
