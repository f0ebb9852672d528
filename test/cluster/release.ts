import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../charts/programs.ts';
import type { Place } from './place.ts';
import { helm, kubectl, manyCafesNamespace, namespace, ran } from './programs.ts';
import type { Stores } from './stores.ts';

/** The name of the release, and of all that belongs to it. */
export const release = 'gsb';
const chart = join(import.meta.dirname, '../../charts/gsb');
/** The values of a developer's cluster. */
export const devValues = join(chart, 'values-dev.yaml');

/** A Secret of texts. */
export const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

const secretsOf = ({ kafka, redis, postgres, partner, games, cafes, operatorKey }: Stores) => [
  secret('gsb-kafka', { username: 'gsb', password: kafka.users.get('gsb') ?? '' }),
  secret('gsb-redis', { password: new URL(redis.url).password }),
  secret('gsb-postgres', { username: 'gsb', password: new URL(postgres.url).password }),
  secret('gsb-partner', { token: partner.token }),
  secret('gsb-test-keys', { 'keys.json': JSON.stringify({ games, cafes, operator_key: operatorKey }) }),
];

const at = (url: string) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });

/** What the dev values leave to a site: where the stores are, which Secrets, which image. */
const valuesOf = (stores: Stores, { GSB_NODE_ADDRESS: host, GSB_IMAGE: { repository } }: Place) => {
  const peers = [{ ipBlock: { cidr: `${host}/32` } }];
  return {
    image: { repository },
    logLevel: 'info',
    kafka: { brokers: stores.kafka.secured, sasl: 'scram-sha-512', existingSecret: 'gsb-kafka', peers },
    redis: { ...at(stores.redis.url), existingSecret: 'gsb-redis', peers },
    postgres: { ...at(stores.postgres.url), database: 'postgres', existingSecret: 'gsb-postgres', peers },
    partner: { baseUrl: stores.partner.url, existingSecret: 'gsb-partner', token: '', peers },
    test: { keysSecret: 'gsb-test-keys' },
  };
};

/** A namespace that enforces the restricted standard, with the Games and Secrets in it that the release needs. */
export const prepareNamespace = async (stores: Stores): Promise<void> => {
  await ran('kubectl', ['apply', '--server-side', '--filename', join(chart, 'crds')]);
  await ran('kubectl', [
    'wait',
    '--for=condition=Established',
    'crd/games.gsb.dev',
    'crd/operators.gsb.dev',
    '--timeout=30s',
  ]);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
  await kubectl(['apply', '--filename', '-'], JSON.stringify(space));
  const list = { apiVersion: 'v1', kind: 'List', items: secretsOf(stores) };
  await kubectl(['apply', '--filename', '-'], JSON.stringify(list));
  await kubectl(['apply', '--filename', stores.folder]);
};

/** Takes away what a test has put into the cluster, whatever is there of it. The CRD stays: other Games may live by it. Throws where something is left. */
export const removeRelease = async (): Promise<void> => {
  await helm('uninstall', release, '--ignore-not-found');
  const spaces = [namespace, manyCafesNamespace];
  await ran('kubectl', ['delete', 'namespace', ...spaces, '--ignore-not-found', '--timeout=240s']);
};

/** A native sidecar that never ends by itself: every Job of the release ends beside it. */
const sidecarOf = ({ GSB_IMAGE: { repository, tag } }: Place) => ({
  name: 'sidecar',
  image: `${repository}:${tag}`,
  restartPolicy: 'Always',
  command: [
    '/nodejs/bin/node',
    '-e',
    "setInterval(() => 0, 1_000); process.on('SIGTERM', () => process.exit())",
  ],
  resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '96Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
  },
});

/** Helm for the release under test. */
export const createRelease = (stores: Stores, place: Place, dir: string) => {
  const file = join(dir, 'values.json');
  writeFileSync(file, JSON.stringify(valuesOf(stores, place)), { mode: 0o600 });
  const site = ['--values', devValues, '--values', file];
  const jobs = join(dir, 'jobs.json');
  writeFileSync(jobs, JSON.stringify({ jobs: { extraInitContainers: [sidecarOf(place)] } }));
  // The load beats for each player far more often than a game server does.
  const values = [...site, '--values', jobs, '--set', 'rateLimits.enabled=false'];
  const set = (more: readonly string[]) => more.flatMap((each) => ['--set', each]);
  return {
    install: (tag: string) =>
      helm(
        'install',
        release,
        chart,
        ...values,
        '--set-string',
        `image.tag=${tag}`,
        '--wait',
        '--timeout',
        '240s',
      ),
    /** What helm answers to a second release in the same namespace; nothing is installed. */
    second: () =>
      run('helm', ['install', 'second', chart, ...values, '--namespace', namespace, '--dry-run=server']),
    /** Upgrades and waits; `more` are settings beside the test's own. */
    upgrade: (tag: string, more: readonly string[] = [], wait = true) =>
      helm(
        ...['upgrade', release, chart, ...values, '--set-string', `image.tag=${tag}`, ...set(more)],
        ...(wait ? ['--wait', '--timeout', '300s'] : []),
      ),
    /** The release before takes the place of this one: its chart, its image, and none of the values that it does not know. */
    downgrade: ({ chart: earlier, tag }: NonNullable<Place['GSB_PREVIOUS']>) =>
      helm(
        ...['upgrade', release, earlier, ...site, '--set-string', `image.tag=${tag}`],
        ...['--wait', '--timeout', '300s'],
      ),
    rollback: () => helm('rollback', release, '--wait', '--timeout', '300s'),
    test: () => helm('test', release, '--logs', '--timeout', '180s'),
    uninstall: () => helm('uninstall', release, '--wait', '--timeout', '120s'),
  };
};

/** A release that can be upgraded. */
export type Release = ReturnType<typeof createRelease>;
