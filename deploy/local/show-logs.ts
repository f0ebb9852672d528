import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { logsOf } from './logs-of.ts';

const usage = `npm run logs -- ott          what a service, or a replica of it, has logged
npm run logs -- req_…        one request through all services; so also gs_… or a trace id`;
const folder = resolve(import.meta.dirname, '../../.local/logs');

const [wanted] = process.argv.slice(2);
const isThere = wanted !== undefined && existsSync(folder);
const lines = isThere ? logsOf(folder, wanted) : [];
const nothing = isThere ? `No line names ${wanted}.` : usage;
process.stdout.write(`${lines.length > 0 ? lines.join('\n') : nothing}\n`);
process.exitCode = lines.length > 0 ? 0 : 1;
