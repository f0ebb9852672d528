import { burnRateAlerts } from './burn-rates.ts';
import { clocks } from './clocks.ts';
import { closings } from './closings.ts';
import { cluster } from './cluster.ts';
import { consuming } from './consuming.ts';
import { log } from './log.ts';
import { money } from './money.ts';
import { partner } from './partner.ts';
import { play } from './play.ts';
import { processes } from './processes.ts';
import { publishing } from './publishing.ts';
import { rebalancing } from './rebalancing.ts';
import { security } from './security.ts';
import { measuredSlos } from './slos.ts';
import { stores } from './stores.ts';
import { tokens } from './tokens.ts';
import type { Alert } from './types.ts';

/** The alerts on what the product measures, by what they are about; each subject is a group of rules. */
export const alerts: Readonly<Record<string, readonly Alert[]>> = {
  slos: measuredSlos.flatMap(burnRateAlerts),
  money,
  closings,
  play,
  tokens,
  partner,
  log: [...log, ...consuming, ...publishing, ...rebalancing],
  processes,
  stores,
  security: [...security, ...clocks],
};

/** With those on what others in a cluster measure. */
export const alertsAndCluster: Readonly<Record<string, readonly Alert[]>> = { ...alerts, cluster };
