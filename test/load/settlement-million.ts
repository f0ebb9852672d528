import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { connectPostgres } from '#libs/postgres/pool.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { podEnvironment, podFlags } from '../../deploy/local/pod-flags.ts';
import { postgresStatements } from '../../services/settlement/statements/postgres-statements.ts';
import { getStatement } from '../../services/settlement/statements/get-statement.ts';
import { ownDatabase } from '../support/own-database.ts';

const day = '2026-11-18';
const sessions = Number(process.argv[2] ?? 1_000_000);
const root = resolve(import.meta.dirname, '../..');
const print = (text: string) => void process.stdout.write(`${text}\n`);
const secondsSince = (startedAt: number) => ((performance.now() - startedAt) / 1000).toFixed(1);

/** The memory of a process now (VmRSS) or at its peak (VmHWM), in MB; 0 once it has ended. */
const memoryMb = (pid: number | undefined, what: 'VmRSS' | 'VmHWM'): number => {
  try {
    const [, kb = '0'] =
      new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kb) / 1024);
  } catch {
    return 0;
  }
};

const closeDay = async (what: string, args: string[], env: Record<string, string>): Promise<void> => {
  const flags = ['--disable-warning=ExperimentalWarning', ...podFlags];
  const entry = resolve(root, 'deploy/operations/close-day.ts');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...flags, entry, '--day', day, ...args], {
    env: { ...process.env, ...podEnvironment, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let [err, peak] = ['', 0];
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  const watch = setInterval(() => (peak = Math.max(peak, memoryMb(child.pid, 'VmHWM'))), 50);
  const [code] = (await once(child, 'close')) as [number];
  clearInterval(watch);
  const [, differences = '?'] = /, (\d+) differences/.exec(err) ?? [];
  print(
    `close-day, ${what}: ${secondsSince(startedAt)} s, ${peak} MB, ${differences} differences, exit code ${code}`,
  );
};

/** Reads the statement by the use case, without HTTP: prints the memory of this process at each tenth of the rows. */
const readStatement = async (databaseUrl: string): Promise<void> => {
  const log = createLog({ service: 'load', instance: 'load', level: 'error' });
  const postgres = connectPostgres({ url: databaseUrl, use: 'read', log, metrics: createMetrics('load') });
  const ports = { statements: postgresStatements(postgres.db), timeZone: 'Asia/Seoul' };
  const startedAt = performance.now();
  const incoming = { headers: { accept: 'text/csv' }, requestId: 'req_0' };
  const call = { query: { day }, incoming, caller: {} } as unknown as Parameters<
    ReturnType<typeof getStatement>
  >[0];
  let [bytes, rows, last] = [0, 0, ''];
  const memory: number[] = [];
  for await (const chunk of (await getStatement(ports)(call)).chunks) {
    bytes += chunk.length;
    rows += chunk.split('\n').length - 1;
    last = chunk;
    if (rows * 10 >= sessions * (memory.length + 1)) memory.push(memoryMb(process.pid, 'VmRSS'));
  }
  await postgres.stop();
  print(
    `statement as CSV: ${secondsSince(startedAt)} s, ${Math.round(bytes / 1e6)} MB written, MB of memory at each tenth: ${memory.join(' ')}`,
  );
  print(last.trim());
};

/** Starts a partner whose statement has the first `count` sessions. */
const startPartner = async (count: number) => {
  const entry = resolve(root, 'test/load/big-statement.ts');
  const partner = spawn(process.execPath, [entry, day, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(partner.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), stop: () => partner.kill() };
};

const database = await ownDatabase();
const partner = await startPartner(sessions);
const emptyPartner = await startPartner(0);
try {
  const startedAt = performance.now();
  await database.seed(day, sessions);
  print(`${sessions} entries and confirmations seeded: ${secondsSince(startedAt)} s`);
  const env = {
    DATABASE_URL: database.url,
    PARTNER_TOKEN: 'of-the-measurement',
  };
  await closeDay('without the partner', ['--without-partner', '--preview'], env);
  const nothing = { ...env, PARTNER_URL: emptyPartner.url };
  await closeDay('the partner lacks every session', ['--preview'], nothing);
  const all = { ...env, PARTNER_URL: partner.url };
  await closeDay('all books agree', [], all);
  await closeDay('once more', [], all);
  await readStatement(database.url);
} finally {
  partner.stop();
  emptyPartner.stop();
  await database.drop();
}
