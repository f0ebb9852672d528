import { z } from 'zod';
import { kubectlJson, namespace, ran } from './programs.ts';
import type { Pod } from './pods.ts';
import type { StepReport } from './step-report.ts';
import { must } from './step-report.ts';

const summary = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      containers: z
        .array(
          z.object({
            name: z.string(),
            cpu: z.object({ usageNanoCores: z.number().default(0) }).default({ usageNanoCores: 0 }),
            memory: z.object({ rssBytes: z.number().default(0) }).default({ rssBytes: 0 }),
          }),
        )
        .default([]),
    }),
  ),
});

/** Resident memory and processor time of each service's container, as the kubelets report them. */
export const reportUsage = async (report: StepReport): Promise<string> => {
  const { items } = await kubectlJson<{ items: Pod[] }>('get', 'pods');
  const names = new Set(items.map(({ metadata }) => metadata.name));
  const nodes = new Set(items.flatMap(({ spec }) => spec.nodeName ?? []));
  const usages: string[] = [];
  for (const node of nodes) {
    const raw = await ran('kubectl', ['get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`]);
    const pods = summary
      .parse(JSON.parse(raw))
      .pods.filter(({ podRef }) => podRef.namespace === namespace && names.has(podRef.name));
    for (const { name, cpu, memory } of pods.flatMap(({ containers }) => containers)) {
      const use = `${(memory.rssBytes / 2 ** 20).toFixed(0)} MiB, ${(cpu.usageNanoCores / 1e6).toFixed(0)} mCPU`;
      report.figure(`at rest: ${name}`, use);
      usages.push(`${name} ${use}`);
    }
  }
  must(usages.length > 0, 'no kubelet reports our pods');
  return usages.join('; ');
};
