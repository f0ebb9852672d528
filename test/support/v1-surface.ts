import { z } from 'zod';
import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import type { Endpoint } from '#libs/contracts/endpoint.ts';

interface Node {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

const kindOf = ({ type, enum: values, const: value }: Node): string =>
  value === undefined ? (values ?? [type ?? 'any'].flat()).map(String).join('|') : JSON.stringify(value);

/** Each value in a schema by its place, a line each: what it is, and whether it is always there. */
const linesOf = (at: string, node: Node, always = true): string[] => {
  const variants = node.anyOf ?? node.oneOf;
  if (variants !== undefined) return variants.flatMap((each) => linesOf(at, each, always));
  if (node.properties !== undefined)
    return Object.entries(node.properties).flatMap(([name, each]) =>
      linesOf(`${at}.${name}`, each, always && (node.required ?? []).includes(name)),
    );
  if (node.items !== undefined) return linesOf(`${at}[]`, node.items, always);
  return [`${at}: ${kindOf(node)}${always ? '' : ', optional'}`];
};

const schemaOf = (schema: z.ZodType | undefined, io: 'input' | 'output'): Node =>
  schema === undefined ? {} : (z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Node);

/** What a caller of an endpoint builds on. */
export interface Surface {
  readonly call: string;
  readonly request: readonly string[];
  readonly answer: readonly string[];
  readonly errors: readonly string[];
}

const surfaceOf = ({ method, path, auth, body, data, errors }: Endpoint): Surface => ({
  call: `${method} ${path}, ${auth}`,
  request: body === undefined ? [] : linesOf('body', schemaOf(body, 'input')),
  // The list of all codes, which grows with endpoints, is not what this one answers.
  answer: linesOf('data', schemaOf(data, 'output')).filter((line) => !line.includes('.error.code: ')),
  errors: [...errors].sort(),
});

const isEndpoint = (value: object) => 'path' in value && 'method' in value;

/** What callers of `/v1` build on today, by endpoint. */
export const surfaceOfV1 = (): Record<string, Surface> =>
  Object.fromEntries(
    ([...Object.values(game), ...Object.values(launcher)].filter(isEndpoint) as Endpoint[]).map(
      (each) => [each.name, surfaceOf(each)] as const,
    ),
  );

const gone = (before: readonly string[], now: readonly string[]): string[] =>
  before.filter((line) => !now.includes(line)).map((line) => `no more ${line}`);
const asked = (before: readonly string[], now: readonly string[]): string[] =>
  now
    .filter((line) => !before.includes(line) && !line.endsWith(', optional'))
    .map((line) => `asks for ${line}`);
const heard = (before: readonly string[], now: readonly string[]): string[] =>
  now.filter((code) => !before.includes(code)).map((code) => `may answer ${code}`);

/** What a caller who was right before would stumble over (D-59): what is new and need not be known is none of it. */
export const broken = (before: Surface, now: Surface | undefined): string[] =>
  now === undefined
    ? [`no more ${before.call}`]
    : [
        ...(now.call === before.call ? [] : [`${before.call} is ${now.call}`]),
        ...gone(before.request, now.request),
        ...asked(before.request, now.request),
        ...gone(before.answer, now.answer),
        ...heard(before.errors, now.errors),
      ];
