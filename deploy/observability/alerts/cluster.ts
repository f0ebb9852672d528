import type { Alert, Series } from './types.ts';

/**
 * Where the files have the release: the chart puts its namespace, and the beginning of its names, in their place. Of an autoscaler of
 * KEDA's the name begins otherwise.
 */
const here = 'namespace="gsb"';
const hpa = 'horizontalpodautoscaler=~"(keda-hpa-)?gsb-.+"';
const [current, most] = ['status_current_replicas', 'spec_max_replicas'].map(
  (of) => `kube_horizontalpodautoscaler_${of}`,
);
const condition = 'kube_horizontalpodautoscaler_status_condition';
const [available, wanted] = ['status_replicas_available', 'spec_replicas'].map(
  (of) => `kube_deployment_${of}`,
);
const [synchronous, lag] = ['cnpg_collector_sync_replicas', 'cnpg_pg_replication_lag'];
const certificate = 'certmanager_certificate_expiration_timestamp_seconds';
const failed = 'kube_job_failed';

const autoscaler = '{namespace="gsb", horizontalpodautoscaler="keda-hpa-gsb-ott"}';
const inactive = `${condition}{namespace="gsb", horizontalpodautoscaler="gsb-game-session", condition="ScalingActive", status="false"}`;
const deployment = '{namespace="gsb", deployment="gsb-ott"}';
const migration = `${failed}{namespace="gsb", job_name="gsb-migrate", condition="true"}`;
const edge = `${certificate}{namespace="gsb", name="gsb-launcher"}`;
const standby = (observed: string): Series => ({
  [`${synchronous}{namespace="gsb", pod="ledger-1", value="expected"}`]: '1x66',
  [`${synchronous}{namespace="gsb", pod="ledger-1", value="observed"}`]: observed,
});

/** Days in which somebody can renew what expires. */
const daysAhead = 14;
const daySec = 86_400;

const scaling: readonly Alert[] = [
  {
    name: 'GsbAutoscalerAtMaximum',
    severity: 'ticket',
    owner: 'platform',
    expr: `max by (horizontalpodautoscaler) (${current}{${here}, ${hpa}}) >= max by (horizontalpodautoscaler) (${most}{${here}, ${hpa}})`,
    for: '15m',
    summary: '{{ $labels.horizontalpodautoscaler }} has added all the pods that it may.',
    board: 'gsb-resources',
    runbook: {
      meaning: 'The service has had as many pods as `autoscaling.max` allows for a quarter of an hour.',
      impact: 'None yet. What comes on top is slow, and then refused (GsbOverloaded) or late (GsbEventsOld).',
      diagnosis: [
        'Is it load, or does each pod do less? `kubectl describe hpa` says by which measure it scales; the board shows requests, the event loop and CPU.',
        'A consumer: events that wait for the partner or for Postgres are not helped by pods.',
      ],
      mitigation: [
        'Load: raise `services.NAME.autoscaling.max` (of a consumer up to its partitions), and see that nodes have room.',
        'Otherwise follow the alert of the cause: GsbPartnerSlow, GsbPostgresFailing, GsbEventLoopLag.',
      ],
    },
    proof: {
      firing: { [`${current}${autoscaler}`]: '2x5 6x60', [`${most}${autoscaler}`]: '6x66' },
      resting: { [`${current}${autoscaler}`]: '2x5 5x60', [`${most}${autoscaler}`]: '6x66' },
      afterMin: 30,
    },
  },
  {
    name: 'GsbAutoscalerInactive',
    severity: 'ticket',
    owner: 'platform',
    expr: `max by (horizontalpodautoscaler) (${condition}{${here}, ${hpa}, condition="ScalingActive", status="false"}) > 0`,
    for: '15m',
    summary: '{{ $labels.horizontalpodautoscaler }} cannot measure, so it adds no pods.',
    board: 'gsb-resources',
    runbook: {
      meaning:
        'The autoscaler has had no measure for a quarter of an hour: the metrics server, KEDA, its sign-in to Kafka, or Prometheus.',
      impact: 'The pods stay as many as they are; more load finds no more of them.',
      diagnosis: [
        '`kubectl describe hpa` names the reason beside ScalingActive; of KEDA, `kubectl describe scaledobject` and the log of its operator do.',
      ],
      mitigation: [
        'Bring the measure back. Until then switch the autoscaler off (`autoscaling.kind: none`) and set `replicas` for the highest load.',
      ],
    },
    proof: {
      firing: { [inactive]: '0x5 1x60' },
      resting: { [inactive]: '0x66' },
      afterMin: 30,
    },
  },
  {
    name: 'GsbPodsMissing',
    severity: 'ticket',
    owner: 'platform',
    expr: `max by (deployment) (${available}{${here}, deployment=~"gsb-.+"}) < max by (deployment) (${wanted}{${here}, deployment=~"gsb-.+"})`,
    for: '15m',
    summary: '{{ $labels.deployment }} has fewer pods than it should.',
    board: 'gsb-resources',
    runbook: {
      meaning:
        'Pods of the service have not been ready for a quarter of an hour: there is no node for them, no image, or they wait for a store, a topic or a migration.',
      impact: 'The others carry its load; the next fault meets fewer of them.',
      diagnosis: [
        '`kubectl get pods` and `kubectl describe pod`: Pending is nodes, ImagePullBackOff the image, Running and not ready the service, whose first log lines say what it waits for.',
      ],
      mitigation: [
        'A topic that is missing: the Job topics, or Strimzi’s KafkaTopic, whose status says why it is not Ready. A schema: GsbJobFailed.',
        'Roll back, if it began with a rollout.',
      ],
    },
    proof: {
      firing: { [`${available}${deployment}`]: '2x5 1x60', [`${wanted}${deployment}`]: '2x66' },
      resting: { [`${available}${deployment}`]: '2x5 1x10 2x50', [`${wanted}${deployment}`]: '2x66' },
      afterMin: 30,
    },
  },
  {
    name: 'GsbJobFailed',
    severity: 'ticket',
    owner: 'platform',
    expr: `max by (job_name) (${failed}{${here}, job_name=~"gsb-.+", condition="true"}) > 0`,
    for: '1m',
    summary: 'The Job {{ $labels.job_name }} has failed and is not tried again.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'A migration, the creation of topics, the closing of a day or a backup has failed for good.',
      impact:
        'Migration or topics: the release is not rolled out, and the pods of the one before go on. Closing: GsbDayNotClosed follows.',
      diagnosis: [
        '`kubectl logs job/NAME`: its last line says why. A migration that waited for a lock names who holds it.',
      ],
      mitigation: [
        'Remove the cause and run the release again (`helm upgrade`, or a sync): a migration goes on where it stopped. Of a failed Job nothing is left half done.',
        'The alert ends when the Job is deleted or replaced.',
      ],
    },
    proof: { firing: { [migration]: '0x5 1x60' }, resting: { [migration]: '0x66' }, afterMin: 15 },
  },
];

const kept: readonly Alert[] = [
  {
    name: 'GsbCertificateExpires',
    severity: 'ticket',
    owner: 'platform',
    expr: `min by (name) (${certificate}{${here}}) - time() < ${daysAhead * daySec}`,
    for: '1h',
    summary: 'The certificate {{ $labels.name }} expires within two weeks and was not renewed.',
    board: 'gsb-resources',
    runbook: {
      meaning: 'cert-manager renews a certificate when two thirds of its time are over; this one it did not.',
      impact:
        'At the edge no launcher or game server gets in from then on. Towards a store: every call is 503 (GsbRedisAway, GsbPublishFailing), or the ledger waits (GsbPostgresFailing).',
      diagnosis: [
        '`kubectl describe certificate NAME` and `kubectl get certificaterequests,orders,challenges` name the step that fails.',
      ],
      mitigation: [
        'Mend the issuer, or renew by hand: `cmctl renew NAME`. Pods read certificates of stores when they start: replace them afterwards.',
      ],
    },
    proof: {
      firing: { [edge]: `${10 * daySec}x120` },
      resting: { [edge]: `${60 * daySec}x120` },
      afterMin: 90,
    },
  },
  {
    name: 'GsbPostgresStandbyMissing',
    severity: 'ticket',
    owner: 'billing',
    expr: `max by (value) (${synchronous}{${here}, value="observed"}) < ignoring (value) max by (value) (${synchronous}{${here}, value="expected"})`,
    for: '5m',
    summary: 'Postgres of the ledger has fewer synchronous standbys than it needs.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'A standby is away or does not follow, for five minutes.',
      impact:
        'None for play. Commits wait for a standby, so the ledger waits on the log; if the primary is lost too, RECOVERY.md is what is left.',
      diagnosis: [
        '`kubectl get pods` of the Postgres cluster, and `kubectl cnpg status NAME`.',
        'On the primary: `select application_name, state, sync_state from pg_stat_replication`.',
      ],
      mitigation: ['Bring the standby back: a node, a disk that is full, or a standby to be made anew.'],
    },
    proof: { firing: standby('1x5 0x60'), resting: standby('1x66'), afterMin: 20 },
  },
  {
    name: 'GsbPostgresStandbyLags',
    severity: 'ticket',
    owner: 'billing',
    expr: `max by (pod) (${lag}{${here}}) > 60`,
    for: '10m',
    summary: 'The Postgres standby {{ $labels.pod }} is a minute behind.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'What was written is replayed a minute late or later, for ten minutes.',
      impact: 'Statements that are read from it are behind; a promotion takes as long as it has to catch up.',
      diagnosis: [
        '`select * from pg_stat_replication` on the primary: is it sent, written or replayed late? A long statement on a hot standby holds the replay.',
      ],
      mitigation: ['End the statement that holds it; otherwise its disk or network is too slow.'],
    },
    proof: {
      firing: { [`${lag}{namespace="gsb", pod="ledger-2"}`]: '0x5 90x60' },
      resting: { [`${lag}{namespace="gsb", pod="ledger-2"}`]: '2x66' },
      afterMin: 30,
    },
  },
];

/**
 * What no process of the product can tell: alerts on what kube-state-metrics, cert-manager and CloudNativePG measure. The chart has them
 * with `monitoring.rules.cluster`; where one of the three is not scraped, its alerts never fire.
 */
export const cluster: readonly Alert[] = [...scaling, ...kept];
