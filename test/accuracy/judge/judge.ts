import type { HistoryLine } from '../history.ts';
import { invariants } from './invariants.ts';
import type { Finding } from './finding.ts';
import { boundsOf, inventedSec, isRefused, lostSec, overlaps } from './seconds.ts';
import { worldOf } from './world.ts';
import type { World } from './world.ts';

/** A player process that stalled longer than this did not measure play; the run cannot be judged. */
const mostLagMs = 2_000;

/** What the judge says of a history. */
export interface Verdict {
  readonly findings: readonly (Finding & { readonly name: string; readonly says: string })[];
  readonly sessions: number;
  /** Whole seconds: as the game servers measured, in the partner's ledger, in settlement's. */
  readonly playedSec: number;
  readonly billedSec: number;
  readonly settledSec: number;
  /** Between which whole seconds a bill is right: from what was proved to what can have been proved. */
  readonly provedSec: number;
  readonly provableSec: number;
  readonly lostSec: number;
  readonly doubleSec: number;
  /** Sessions whose verify never got through to its game server, and what they were billed by D-09. */
  readonly unreceived: { readonly sessions: number; readonly sec: number };
  /** Sessions on credit that the partner refused afterwards, and the seconds it will not pay (D-12). */
  readonly refused: { readonly sessions: number; readonly sec: number };
  readonly details: readonly string[];
  /** The longest stall of the player process, in ms, and whether it was too long to judge. */
  readonly lagMs: number;
  readonly tooSlow: boolean;
  readonly ok: boolean;
}

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

const secondsOf = (world: World) => {
  const { sittings } = world;
  const [lost, invented] = [
    sittings.map((each) => ({ each, sec: lostSec(each, world) })),
    sittings.map((each) => ({ each, sec: inventedSec(each, world) })),
  ];
  const shared = overlaps(world);
  const unreceived = sittings.filter(
    ({ knownMs, settled }) => knownMs === undefined && settled !== undefined,
  );
  const refused = sittings.filter(isRefused);
  return {
    sessions: sittings.length,
    playedSec: Math.round(sumOf(world.played, ({ sec }) => sec)),
    provedSec: sumOf(sittings, (each) => boundsOf(each, world).atLeast),
    provableSec: sumOf(sittings, (each) => boundsOf(each, world).atMost),
    billedSec: sumOf(sittings, ({ partner }) => partner?.sec ?? 0),
    settledSec: sumOf(sittings, ({ settled }) => settled?.sec ?? 0),
    lostSec: sumOf(lost, ({ sec }) => sec),
    doubleSec: sumOf(invented, ({ sec }) => sec) + sumOf(shared, ({ sec }) => sec),
    unreceived: { sessions: unreceived.length, sec: sumOf(unreceived, ({ settled }) => settled?.sec ?? 0) },
    refused: { sessions: refused.length, sec: sumOf(refused, ({ settled }) => settled?.sec ?? 0) },
    details: [
      ...lost.filter(({ sec }) => sec > 0).map(({ each, sec }) => `lost ${sec} s of ${each.id}`),
      ...invented
        .filter(({ sec }) => sec > 0)
        .map(({ each, sec }) => `${sec} s of ${each.id} were never played`),
      ...shared.map(({ what }) => `billed twice: ${what}`),
    ],
  };
};

/** Compares the three ledgers and looks at every promise. Pure: the same history, the same verdict. */
export const judge = (lines: readonly HistoryLine[]): Verdict => {
  const world = worldOf(lines);
  const findings = Object.entries(invariants).map(([name, { says, check }]) => ({
    name,
    says,
    ...check(world),
  }));
  const seconds = secondsOf(world);
  const lagMs = Math.max(0, ...world.samples.map(({ lag }) => lag));
  const kept = findings.every(({ violations }) => violations.length === 0);
  return {
    ...{ findings, ...seconds, lagMs, tooSlow: lagMs > mostLagMs },
    ok: kept && seconds.lostSec === 0 && seconds.doubleSec === 0 && seconds.sessions > 0,
  };
};
