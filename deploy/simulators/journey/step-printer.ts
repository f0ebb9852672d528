import type { CallResult } from '../http-client.ts';

/** Writes one line for the person at the terminal. */
export type Print = (line: string) => void;

/** The services that a step can fail at. */
type Service = 'launcher-gateway' | 'game-session' | 'settlement';

/** A step that did not go as expected. */
interface FailedStep {
  /** The heading that it stands under. */
  readonly heading: string;
  readonly what: string;
  readonly why: string;
  readonly service: Service;
  readonly requestId?: string;
}

/** Thrown by a step that failed: the steps after it need what it would have given. */
export class StepFailed extends Error {}

const ms = (value: number) => `${value.toFixed(0)} ms`;

const resultText = (result: CallResult<unknown>): string =>
  result.ok ? JSON.stringify(result.data) : `${result.status} ${result.code}`;

const shortened = (text: string): string =>
  text
    .replace(/("(?:sessionToken|ott)":"[^"]{8})[^"]*/g, '$1…')
    .replace(/"games":\[.*?\]/, '"games":[…]')
    .slice(0, 150);

const whyOf = (result: CallResult<unknown>): string =>
  result.ok
    ? `200 after ${ms(result.tookMs)}, but not the expected result: ${shortened(resultText(result))}`
    : `${resultText(result)} after ${ms(result.tookMs)}: ${result.message}`;

/** Where to look: what `logs` shows of the request or the service, or which these are. */
const whereToLook = ({ service, requestId }: FailedStep, logs: string | undefined): string =>
  logs === undefined
    ? `service ${service}${requestId === undefined ? '' : `, request ${requestId}`}`
    : `what was logged of it: ${logs} ${requestId ?? service}`;

type PrintStep = (ok: boolean, text: string) => void;

/** Prints one call: how long it took and what came back. Throws StepFailed unless that was expected. */
const createCall =
  (
    printStep: PrintStep,
    fail: (step: Omit<FailedStep, 'heading'>) => void,
    spent: (tookMs: number) => void,
  ) =>
  (service: Service) =>
  async <T>(
    what: string,
    sent: Promise<CallResult<T>>,
    expected: (result: CallResult<T>) => boolean,
  ): Promise<CallResult<T>> => {
    const result = await sent.catch((error: unknown) => {
      const why = `no response: ${error instanceof Error ? error.message : String(error)}`;
      fail({ what, why, service });
      printStep(false, `         ${what.padEnd(40)} → ${why}`);
      throw new StepFailed(what);
    });
    spent(result.tookMs);
    const ok = expected(result);
    printStep(ok, `${ms(result.tookMs).padStart(7)}  ${what.padEnd(40)} → ${shortened(resultText(result))}`);
    if (ok) return result;
    fail({ what, why: whyOf(result), service, requestId: result.requestId });
    throw new StepFailed(what);
  };

/** Prints a journey step by step, and keeps the steps that failed. `logs`: the command that shows the logs of a request or a service, where there is one. */
export const createStepPrinter = (print: Print, logs?: string) => {
  const failed: FailedStep[] = [];
  let totalMs = 0;
  let heading = '';
  const fail = (step: Omit<FailedStep, 'heading'>) => failed.push({ heading, ...step });
  const printStep: PrintStep = (ok, text) => print(`  ${ok ? '✓' : '✗'} ${text}`);
  const callTo = createCall(printStep, fail, (tookMs) => (totalMs += tookMs));
  return {
    print,
    heading: (text: string) => {
      heading = text;
      print(`\n${text}`);
    },
    launcherCall: callTo('launcher-gateway'),
    gameCall: callTo('game-session'),
    /** A session whose ledgers must agree; `text` is its line. */
    checkLedgers: (who: string, text: string, agree: boolean) => {
      printStep(agree, text);
      if (!agree) fail({ what: who, why: 'the ledgers do not have the same seconds', service: 'settlement' });
    },
    spentMs: () => totalMs,
    failures: () => failed.length,
    /** What failed, why, and where to look. */
    printFailures: () => {
      print(
        `\nThe journey failed: ${failed.length} ${failed.length === 1 ? 'step was' : 'steps were'} wrong.`,
      );
      for (const step of failed)
        print(`  ✗ ${step.heading}: ${step.what}\n      ${step.why}\n      ${whereToLook(step, logs)}`);
    },
  };
};

/** The printer of one journey. */
export type StepPrinter = ReturnType<typeof createStepPrinter>;
