import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Link, Span } from '@opentelemetry/api';
import { keepAfterAll } from '#libs/runtime/late-spans.ts';
import type { Responded } from './count-responses.ts';

/** What verify promises (the SLO); a slower request is worth its trace, whichever it is. */
const slowSec = 0.5;

/** A request that has been answered. */
interface Answered extends Responded {
  readonly requestId: string;
  readonly scheme: string;
  readonly links: Link[];
}

const attributesOf = ({ method, route, status, requestId, scheme }: Answered) => ({
  'http.request.method': method,
  'http.route': route,
  'url.scheme': scheme,
  'http.response.status_code': status,
  'gsb.request_id': requestId,
  ...(status >= 500 && { 'error.type': String(status) }),
});

/** Completes the span of a request. Where its trace is not kept, the span is recorded after all when the request failed or was slow. */
export const completeSpan = (span: Span, answered: Answered): void => {
  const { method, route, status, seconds, links } = answered;
  const [name, failed] = [`${method} ${route}`, status >= 500];
  if (!span.isRecording()) {
    if (!failed && seconds <= slowSec) return;
    const startedAtMs = Date.now() - seconds * 1000;
    const late = { name, kind: SpanKind.SERVER, attributes: attributesOf(answered), links, startedAtMs };
    keepAfterAll(span.spanContext(), { because: failed ? 'failed' : 'slow', ...late });
    return;
  }
  span.updateName(name);
  span.setAttributes(attributesOf(answered));
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
};
