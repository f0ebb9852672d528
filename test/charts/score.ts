import { z } from 'zod';
import { run } from './programs.ts';
import type { Render } from './renders.ts';

/** What kube-score asks for and we do otherwise, with the reason. */
const otherwise: Readonly<Record<string, string>> = {
  'container-image-pull-policy': 'the image is pinned by its digest, so IfNotPresent cannot give another',
  'deployment-has-host-podantiaffinity': 'topology spread constraints do this without refusing to schedule',
  'statefulset-has-host-podantiaffinity': 'gsb-deps is for development',
  'statefulset-has-poddisruptionbudget': 'gsb-deps is for development',
  'deployment-replicas': 'dev has one of each; live is held by a guard',
  'deployment-has-poddisruptionbudget': 'held by our own policy, which knows autoscalers of KEDA',
  'pod-networkpolicy': 'held by our own policy, which lets a case outside live go without any',
  'horizontalpodautoscaler-replicas': 'held by a guard',
};

/** Development dependencies come from their operators; what is left is not judged. */
const args = [
  'score',
  '--output-format',
  'json',
  '--ignore-container-cpu-limit',
  ...Object.keys(otherwise).flatMap((test) => ['--ignore-test', test]),
  '-',
];

const report = z.array(
  z.looseObject({
    object_name: z.string(),
    checks: z.array(
      z.looseObject({
        check: z.looseObject({ name: z.string() }),
        grade: z.int(),
        skipped: z.boolean().default(false),
        comments: z
          .array(z.looseObject({ summary: z.string() }))
          .nullable()
          .default([]),
      }),
    ),
  }),
);

const lowestGood = 5;

/** What kube-score finds critical or warns of in a render. */
export const score = async ({ name, yaml }: Render): Promise<string[]> => {
  const { stdout, stderr } = await run('kube-score', args, { input: yaml });
  const { data, error } = report.safeParse(JSON.parse(stdout === '' ? 'null' : stdout));
  if (data === undefined) return [`${name}: kube-score failed: ${stderr || (error?.message ?? '')}`];
  return data.flatMap(({ object_name, checks }) =>
    checks
      .filter(({ grade, skipped }) => !skipped && grade > 0 && grade < lowestGood)
      .map(
        ({ check, comments }) =>
          `${name}: ${object_name}: ${check.name}: ${comments?.map(({ summary }) => summary).join('; ') ?? ''}`,
      ),
  );
};
