import { Document, isMap, isScalar, parseDocument } from 'yaml';
import type { Node, Pair, YAMLMap } from 'yaml';

/** A value of the chart: where it stands, what it is by default, and its description. */
interface Parameter {
  readonly key: string;
  readonly fallback: string;
  readonly text: string;
}

const mark = '-- ';
const longestDefault = 70;

const commentOf = (pair: Pair): string | undefined => {
  const { key, value } = pair as Pair<Node, Node | null>;
  const own = isMap(value) ? undefined : value?.commentBefore;
  const comment = (key.commentBefore ?? own ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
  const at = comment.indexOf(mark);
  return at === -1 ? undefined : comment.slice(at + mark.length);
};

const defaultOf = (value: unknown): string => {
  const json = new Document(value, { version: '1.1' }).toJSON() as unknown;
  const text = JSON.stringify(json);
  return text.length > longestDefault ? 'see values.yaml' : `\`${text}\``;
};

const nameOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

const parametersIn = (map: YAMLMap, path: readonly string[]): Parameter[] =>
  map.items.flatMap((pair, index): Parameter[] => {
    const key = [...path, nameOf(pair)];
    const first = index === 0 ? (map.commentBefore ?? undefined) : undefined;
    const text =
      commentOf(pair) ?? (first?.includes(mark) ? first.slice(first.indexOf(mark) + mark.length) : undefined);
    if (text !== undefined)
      return [{ key: key.join('.'), fallback: defaultOf(pair.value), text: text.trim() }];
    return isMap(pair.value) ? parametersIn(pair.value, key) : [];
  });

/** The table of a chart's README: every value that is explained in its values.yaml by a comment that begins with two dashes. */
export const parameterTable = (valuesYaml: string): string => {
  const document = parseDocument(valuesYaml);
  const first = document.commentBefore ?? '';
  if (!isMap(document.contents)) throw new Error('values.yaml holds no map');
  const map = document.contents;
  if (first.includes(mark)) map.commentBefore = first;
  const rows = parametersIn(map, []).map(
    ({ key, fallback, text }) => `| \`${key}\` | ${fallback} | ${text} |`,
  );
  return ['| key | default | |', '|---|---|---|', ...rows].join('\n');
};
