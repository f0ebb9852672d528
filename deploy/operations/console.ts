import { print } from './command-line.ts';

const stayMs = 55 * 60_000;

// A pod of its own for the commands of operators: each is run in it by kubectl exec, with an operator's key.
print('for 55 minutes: kubectl exec -i job/NAME -- /nodejs/bin/node deploy/operations/… --key-stdin');
const stay = setTimeout(() => undefined, stayMs);
process.once('SIGTERM', () => clearTimeout(stay));
