import { z } from 'zod';
import { kubectl } from './programs.ts';
import { release } from './release.ts';
import { must } from './step-report.ts';

const mostMb = { whole: 350, ours: 90 };
/** Everything that the Dockerfile adds lies there. */
const oursIn = '/app';

/** Sums what lies in the container's own file system; run inside it, where there is no shell. */
const sum = `const { lstatSync, readdirSync } = require('node:fs');
const device = lstatSync('/').dev;
const size = (path) => {
  const it = lstatSync(path);
  if (it.dev !== device) return 0;
  if (!it.isDirectory()) return it.size;
  return readdirSync(path).reduce((all, name) => all + size(path.replace(/\\/$/, '') + '/' + name), 4096);
};
console.log(JSON.stringify({ whole: size('/') / 1e6, ours: size('${oursIn}') / 1e6 }));`;

/** The image as it lies on a node's disk, unpacked: whole, and what is ours of it. */
export const imageSize = async (): Promise<string> => {
  const output = await kubectl(['exec', `deployment/${release}-ott`, '--', '/nodejs/bin/node', '-e', sum]);
  const { whole, ours } = z.object({ whole: z.number(), ours: z.number() }).parse(JSON.parse(output));
  const sizes = `${whole.toFixed(0)} MB unpacked, of which ours ${ours.toFixed(0)} MB`;
  must(whole <= mostMb.whole && ours <= mostMb.ours, `${sizes}; at most ${mostMb.whole} and ${mostMb.ours}`);
  return sizes;
};
