import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { cafeBody, faultBody } from './control-api.ts';
import { daysIn } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import type { createFaults, Treatment } from './faults.ts';
import { cafeQuery, renewBody, startBody, stopBody } from './partner-api.ts';

type Faults = ReturnType<typeof createFaults>;
type Operation = Parameters<Faults['treat']>[0];

const maxBodyBytes = 1_048_576;
const dayQuery = z.object({ day: z.iso.date() });

const bodyOf = async (ctx: Context): Promise<unknown> => {
  const text = await getRawBody(ctx.req, { limit: maxBodyBytes, encoding: 'utf8' });
  return text === '' ? {} : (JSON.parse(text) as unknown);
};

const explained: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof z.ZodError) && !(error instanceof SyntaxError)) throw error;
    ctx.status = 400;
    ctx.body = {
      code: 'BAD_REQUEST',
      message: error instanceof z.ZodError ? z.prettifyError(error) : 'the body is not JSON',
    };
  }
};

const drop = (ctx: Context): void => {
  ctx.respond = false;
  ctx.req.socket.destroy();
};

const treated = async (ctx: Context, treatment: Treatment, work: () => void): Promise<void> => {
  if (treatment.do === 'fail') {
    ctx.status = treatment.status;
    ctx.body = treatment.body ?? { code: 'SIMULATED_FAULT' };
    return;
  }
  if (treatment.do !== 'drop') work();
  if (treatment.do === 'work_then_wait') await sleep(treatment.ms, undefined, { ref: false });
  else if (treatment.do !== 'serve') drop(ctx);
};

const answer = (ctx: Context, status: number, body: unknown): void => {
  ctx.status = status;
  ctx.body = body;
};

type Handler = (ctx: Context) => unknown;

/** A handler that responds to whoever has the token. */
const withToken =
  (token: string) =>
  (handler: Handler) =>
  async (ctx: Context): Promise<void> => {
    if (ctx.get('authorization') === `Bearer ${token}`) await handler(ctx);
    else answer(ctx, 401, { code: 'UNAUTHORIZED' });
  };
type Guard = ReturnType<typeof withToken>;

/** Parses a request, and returns the work that responds to it: a fault may come between the two. */
type Read = (ctx: Context, body: unknown) => () => void;

const check =
  (ledger: Ledger): Read =>
  (ctx) => {
    const { ip } = cafeQuery.parse({ ...ctx.query });
    return () => {
      const cafe_id = ledger.cafeOf(ip);
      answer(ctx, cafe_id ? 200 : 404, cafe_id ? { cafe_id } : { code: 'NOT_A_CAFE' });
    };
  };

const start =
  (ledger: Ledger): Read =>
  (ctx, body) => {
    const order = startBody.parse(body);
    ledger.count(order.billing_id, 'start');
    return () => {
      const started = ledger.start(order);
      if (started === 'insufficient') return answer(ctx, 402, { code: 'INSUFFICIENT_BALANCE' });
      answer(ctx, started.isNew ? 201 : 200, { status: 'started', remaining_sec: started.remainingSec });
    };
  };

const renew =
  (ledger: Ledger): Read =>
  (ctx, body) => {
    const { renewals } = renewBody.parse(body);
    for (const { billing_id } of renewals) ledger.count(billing_id, 'renew');
    return () => answer(ctx, 200, { results: renewals.map((renewal) => ledger.renew(renewal)) });
  };

const stop =
  (ledger: Ledger): Read =>
  (ctx, body) => {
    const order = stopBody.parse(body);
    const { billing_id: billingId = '' } = (ctx as Context & { params: Record<string, string> }).params;
    ledger.count(billingId, 'stop');
    return () => {
      const play_duration_sec = ledger.stop(billingId, order);
      if (play_duration_sec === undefined) return answer(ctx, 404, { code: 'NO_SUCH_BILLING' });
      answer(ctx, 200, { status: 'stopped', play_duration_sec });
    };
  };

interface Served {
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly guard: Guard;
  readonly timeZone: string;
}

const partnerApi = (router: Router, { ledger, faults, guard, timeZone }: Served): void => {
  const withFaults = (operation: Operation, read: Read) =>
    guard(async (ctx) => {
      const work = read(ctx, await bodyOf(ctx));
      await treated(ctx, await faults.treat(operation), work);
    });
  router.get('/v1/cafes', withFaults('check', check(ledger)));
  router.post('/v1/billings', withFaults('start', start(ledger)));
  router.post('/v1/billings/renewals', withFaults('renew', renew(ledger)));
  router.post('/v1/billings/:billing_id/stop', withFaults('stop', stop(ledger)));
  const dayOf = daysIn(timeZone);
  const statement = guard((ctx) => {
    const { day } = dayQuery.parse({ ...ctx.query });
    const isOfDay = ({ started_at }: { started_at: string }) => dayOf(started_at) === day;
    answer(ctx, 200, { billings: ledger.billings().filter(isOfDay) });
  });
  router.get('/v1/billings', statement);
};

const controlApi = (router: Router, { ledger, faults }: Served): void => {
  router.get('/health/ready', (ctx) => answer(ctx, 200, { status: 'ready' }));
  router.get('/control/ledger', (ctx) => answer(ctx, 200, { billings: ledger.billings() }));
  router.put('/control/cafes/:cafe_id', async (ctx) => {
    const change = cafeBody.parse(await bodyOf(ctx));
    const known = ledger.changeCafe(String(ctx.params['cafe_id']), change);
    answer(ctx, known ? 200 : 404, known ? change : { code: 'NO_SUCH_CAFE' });
  });
  router.put('/control/faults', async (ctx) => {
    const fault = faultBody.parse(await bodyOf(ctx));
    faults.put(fault);
    answer(ctx, 200, fault);
  });
  router.delete('/control/faults', (ctx) => {
    faults.clear();
    answer(ctx, 200, {});
  });
};

/** Whom the partner answers, and the time zone of the days in its statements. */
interface PartnerSettings {
  readonly token: string;
  readonly timeZone: string;
}

/** The PC-cafe auth server, simulated: the partner's API, and below `/control` what a test may see and change of it. */
export const partnerApp = (ledger: Ledger, faults: Faults, { token, timeZone }: PartnerSettings): Koa => {
  const router = new Router();
  const served = { ledger, faults, guard: withToken(token), timeZone };
  controlApi(router, served);
  partnerApi(router, served);
  const app = new Koa();
  app.use(explained).use(router.routes() as Middleware);
  return app;
};
