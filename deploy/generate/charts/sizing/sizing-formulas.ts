import { shards } from '#libs/kernel/shards.ts';
import { maxRenewals } from '#libs/contracts/partner.ts';
import { usualInFlight } from '../../../../services/billing-adapter/adapters/circuit-breakers.ts';
import { mostInFlight } from '../../../../services/billing-adapter/config.ts';
import { evenShare } from './hash-slots.ts';
import { live, maxSurge } from './live-values.ts';
import { logBytes, rebuildMs, redisBytes, rowBytes } from './measured-costs.ts';
import { busyFrom, requested } from './requested-cores.ts';
import { assumed, mostPcs, sizeFor } from './size-for.ts';
import { presets } from './size-presets.ts';
import { connectionsOfAPod, ledgerOf, redisHeadroom } from './store-sizes.ts';

const grouped = (value: number): string => Math.round(value).toLocaleString('en');
const percent = (share: number): string => `${share * 100} %`;
const perSecond = (calls: number): string => grouped(calls / assumed.partnerLatencySec);
const bytes = (of: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(of)
    .map(([topic, size]) => `${topic} ${grouped(size ?? 0)}`)
    .join(', ');

const usualRetries = sizeFor(1).retriesPerSecond;
const recovery = (): string => {
  const { pcs, perSecond: calls, fewestPods, retriesPerSecond } = sizeFor(presets.large);
  const hours = calls.verify / (fewestPods['billing-adapter'] * retriesPerSecond);
  return `An outage of an hour at ${grouped(pcs)} PCs is made good in ${hours.toFixed(1)} h by the fewest pods, and sooner by more.`;
};

const perYear = (): string => `${((365 * ledgerOf(sizeFor(presets.large)).bytesADay) / 1e12).toFixed(0)} TB`;

const beatsOf = (pcs: number): number => sizeFor(pcs).perSecond['launcher heartbeat'];

const ofProcesses = (): string[] => [
  `- cores of a process = Σ calls a second × their ms ÷ 1000. A process uses one core at most: pods = cores ÷ (${assumed.utilization} − what one idles), ${assumed.fewestPods} at least.`,
  `- presets: the fewest pods are cores ÷ (${assumed.mostUtilization} − what one idles), or so many that the others carry it at ${percent(assumed.utilizationWithoutOne)} of a core, and of the calls in flight, when one goes; the most are a quarter more than pods; neither is below live's own.`,
  `- cores requested: what the pods ask for that there are while all play (where CPU scales, those of the table, else the fewest of the preset), and what a cluster must have left for them; in a rollout each service asks for ${maxSurge} pod more, and a Job for ${requested.jobs * 1_000}m. A service asks for live's ${requested.service * 1_000}m, or for what a pod has to do where that is more; what it does for one that is gone it takes of what its node has left. From ${busyFrom} of a core of game-session on, those that are scaled by their CPU ask for a whole core, the most that a process can use: autoscaling measures the share of what is asked for, and callers come at once.`,
  `- partitions: live's ${live.kafka.partitions}, doubled until they are twice as many as the most pods of a service. They never shrink.`,
  `- starts in flight of a pod = verifies a second × the partner's latency ÷ the fewest pods ÷ ${assumed.utilization}, or ÷ one fewer ÷ ${assumed.utilizationWithoutOne} where that is more, in steps; as many stops. The table takes ${assumed.partnerLatencySec} s: where your partner takes twice as long, set \`partner.inFlight\` twice as high, up to ${mostInFlight}, and then have more pods. A pod makes as many calls a second as it has in flight, divided by the latency: with ${usualInFlight.start}, ${perSecond(usualInFlight.start)}. Renewals are ${maxRenewals} a call: ${usualInFlight.renew} in flight carry ${perSecond(usualInFlight.renew * maxRenewals)} heartbeats a second, and need no more.`,
  `- checks in flight of a pod, in the same way, of addresses ÷ 60 a second: an address is asked about where a launcher comes from it and the partner's word is a minute old (D-45). The table takes ${assumed.pcsAnAddress} PCs behind an address. Where each PC has one of its own each launcher's heartbeat asks, ${grouped(beatsOf(presets.medium))} a second for ${grouped(presets.medium)} PCs: a pod with ${mostInFlight} in flight makes ${perSecond(mostInFlight)}, so give billing-adapter as many pods; a start for which there is no time is 503.`,
  `- retries a second of a pod, after an outage of the partner, of starts and of stops each (D-27) = ${assumed.recoveryUtilization} × its calls in flight ÷ the latency − its usual calls, but no more than its usual calls, in tens, and ${usualRetries} at least. ${recovery()} Where the partner takes twice as long and \`partner.inFlight\` is not twice as high, or where it answers 429, set \`partner.retriesPerSecond\` lower: what is beyond the calls in flight waits on the log again.`,
];

const ofRedis = (): string[] => [
  `- Redis: ${grouped(redisBytes.liveSession)} bytes a live session with its launcher, token and nonce, ${grouped(redisBytes.endedSession)} one that ended within the hour, with its launcher, ${grouped(redisBytes.usedToken)} a token that was used within the day, all × ${redisHeadroom}. That is packed (\`redis.packed: true\`, which [a site sets itself](UPGRADING.md#records-of-two-versions)); without it three times as much, and a heartbeat takes two round trips instead of one: the table is for packed records. It is one copy, over all primaries together: divide it by them for \`maxmemory\`, give each replica as much, and its append-only file twice that of disk.`,
  `- primaries: the busiest may have ${assumed.redisUtilization} of a core to do; one that has more calls for a Redis Cluster. The hot view is ${shards.length} shards, each in one slot. Slots that are divided evenly, as \`redis-cli --cluster create\` does, put ${percent(evenShare(4))} of the shards on one of 4 primaries, and ${percent(evenShare(8))} on one of 8, of 16 and of 32. Placed as below, each has as many.`,
  `- one hot view is enough for ${(mostPcs() / 1e6).toFixed(1)} M PCs, with ${shards.length} primaries that have a shard each. More PCs are several releases.`,
  `- rebuild of a lost hot view, all calls being 503 until then (D-24) = ${rebuildMs.alone / 1000} s + sessions that play × the longer of ${rebuildMs.replica} ms ÷ the fewest pods of game-session and ${rebuildMs.redis} ms ÷ primaries, with cores and brokers for all of them. Where they share two cores with Kafka and Redis, 100,000 sessions took one replica 17 s, and two 15 s, of ten minutes of the log; half an hour takes 7 s of CPU more. Of 1,000,000 PCs that are 16 GB of heartbeats.v1, which the brokers have to send meanwhile.`,
];

const ofLogAndLedger = (): string[] => [
  `- Kafka, bytes of a copy: for a heartbeat ${bytes(logBytes.heartbeat)}; for a session ${bytes(logBytes.session)}. A day has ${assumed.busyHoursADay} busy hours. Kept = bytes a second × retention of the topic, and a segment, which goes as a whole: a day's at most, 1 GiB of each partition at most. Leave a third of the disks free.`,
  `- Postgres: ${rowBytes.entry} bytes an entry, ${rowBytes.confirmation} a confirmation, with their indexes; ${assumed.sessionsAnHour} sessions an hour of each PC. Nothing is deleted: a year is 365 days of it, ${perYear()} for ${grouped(presets.large)} PCs.`,
  `- connections are those of the most pods that autoscaling makes, of the presets or by the same formula, and of ${maxSurge} more of each service in a rollout; pods that drain keep theirs for half a minute more. They are open all the time, idle or not: of a pod ${connectionsOfAPod.kafka} to each broker, ${connectionsOfAPod.redis} to each primary. settlement alone has ${connectionsOfAPod.postgres} to Postgres, and 1 while nobody asks; leave ten more for a closing, the migration, backups and monitoring; a pooler makes them fewer.`,
];

/** How the figures of the tables are computed, as a list. */
export const formulas = (): string[] => [...ofProcesses(), ...ofRedis(), ...ofLogAndLedger()];
