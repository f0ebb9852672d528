import { z } from 'zod';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { openObjects } from '#libs/catalog/open-catalog.ts';
import type { Operator } from '#libs/catalog/catalog.ts';
import type { OperatorRole } from '#libs/contracts/operators.ts';
import { createAudit } from '#libs/runtime/audit.ts';
import { catalogSettings, withCatalog } from '#libs/runtime/catalog-settings.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Log } from '#libs/runtime/log.ts';
import { createSecurityEvents } from '#libs/runtime/security-events.ts';
import { auditWriter } from './audit-writer.ts';
import { Misuse, Refused } from './command-failure.ts';

/** Who runs a command: an operator by key, or a scheduled Job, which has no key and is named by the chart. */
export const operatorSettings = {
  OPERATOR_KEY: z.string().optional(),
  SCHEDULED_JOB: z.string().optional(),
};
const catalogSchema = withCatalog(z.object(catalogSettings));

/** The log of a command: stdout belongs to its result. Whoever runs it sees it alone. */
export const commandLog = (name: string): Log =>
  createLog({ service: name, instance: name, level: 'error' }, (line) => void process.stderr.write(line));

const ownerOf = async (key: string, env: NodeJS.ProcessEnv) => {
  const source = openObjects(readConfig(catalogSchema, env), {
    ...{ kinds: ['Operator'] as const, writesStatus: false, log: commandLog('operator') },
  });
  await source.start(() => undefined);
  try {
    return createCatalog(source.objects, Date.now).operatorOfKey(key);
  } finally {
    await source.stop();
  }
};

/** What a command is run with: the role that it needs, its name, what it is to do as the audit says it, and the key, where it came by stdin. */
interface Operation {
  readonly role: OperatorRole;
  /** Stands for the service in the log, where it tells streams apart; so it names nothing that the command was given. */
  readonly command: string;
  readonly operation: string;
  readonly typedKey: string | undefined;
}

/** Who runs a command: an operator, or a job, which has no limits. */
interface Known {
  readonly name: string;
  readonly operator?: Operator;
}

/** The command that a Job of the chart runs; every other one is a person's. */
const scheduled = 'close-day';

/**
 * The Job that runs this command, if it is one's. What `kubectl exec` starts in the Job's pod has its environment too, but is not the first
 * process there: a person shows a key.
 */
export const jobOf = (
  { SCHEDULED_JOB: job, KUBERNETES_SERVICE_HOST: isPod }: NodeJS.ProcessEnv,
  command: string,
  pid = process.pid,
): string | undefined => (command === scheduled && (isPod === undefined || pid === 1) ? job : undefined);

/** Who runs a command. Throws Refused when the key is nobody's, or the operator does not have the role (D-40). */
const operatorWith = async ({ role, command, typedKey }: Omit<Operation, 'operation'>): Promise<Known> => {
  const { env } = process;
  const { OPERATOR_KEY: given } = readConfig(z.object(operatorSettings), env);
  const job = jobOf(env, command);
  if (job !== undefined) return { name: `job ${job}` };
  const key = typedKey ?? given;
  if (key === undefined) throw new Refused('OPERATOR_KEY is not set: say who you are');
  const operator = await ownerOf(key, env);
  if (operator === undefined) throw new Refused('the key is not that of an operator');
  const { name, roles } = operator;
  if (!roles.includes(role)) throw new Refused(`operator ${name} does not have the role ${role}`, name);
  return { name, operator };
};

/** How an attempt ended that threw. */
const outcomeOf = (error: unknown): string => {
  if (error instanceof Refused) return 'FORBIDDEN';
  return error instanceof Misuse ? 'misused' : 'failed';
};

/**
 * Does the work of a command for the operator who runs it, and writes who begins what, and how it ended, as lines to stderr and to the log
 * of the pod that it runs in (D-40). Nothing is begun that cannot be written down.
 */
export const asOperator = async (
  asked: Operation,
  work: (operator: Operator | undefined) => Promise<number>,
): Promise<number> => {
  const { command, operation } = asked;
  const kept = createLog({ service: command, instance: command, level: 'info' }, auditWriter());
  const audit = createAudit(createSecurityEvents({ log: kept }).note);
  let operator: string | undefined;
  try {
    const known = await operatorWith(asked);
    operator = known.name;
    // Whoever ends the process in the middle of its work has done something too.
    audit({ operator, operation, outcome: 'begun' });
    const code = await work(known.operator);
    audit({ operator, operation, outcome: code === 0 ? 'done' : 'failed' });
    return code;
  } catch (error) {
    const who = error instanceof Refused ? error.operator : operator;
    audit({ operator: who, operation, outcome: outcomeOf(error) });
    throw error;
  }
};
