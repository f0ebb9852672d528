import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleFiles } from '../../deploy/observability/alerts/rule-files.ts';

/** How many times as fast time goes by for the rules: an hour lasts thirty seconds, and their shortest window several scrapes and requests of a busy machine. */
const speed = 120;
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** What runs every second in the product is not late before so many seconds, however fast the rules' time goes by. */
const lateSec = 5;

/** A duration of a rule, as long as it lasts in compressed time, in ms. */
export const compressedMs = (count: number, unit: string): number =>
  Math.round((count * (unitMs[unit] ?? 0)) / speed);

const compressed = (rules: string): string =>
  rules
    .replace(/\[(\d+)([smhd])\]/g, (_, count, unit: string) => `[${compressedMs(Number(count), unit)}ms]`)
    .replace(
      /for: (\d+)([smhd])$/gm,
      (_, count, unit: string) => `for: ${compressedMs(Number(count), unit)}ms`,
    )
    .replace(/(time\(\) - .*|gsb_kafka_in_hand_age.*) > 60$/gm, `$1 > ${lateSec}`);

/** Writes the rules of the chart with windows that are as much shorter. Returns the pattern of the files. */
export const writeCompressedRules = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  for (const [name, rules] of Object.entries(ruleFiles()))
    writeFileSync(join(folder, name), compressed(rules));
  return join(folder, '*.yaml');
};
