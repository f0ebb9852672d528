/** What values of an option look like, or words (`words`), that the audit may name. */
export type Audited = Readonly<Record<string, RegExp>>;

interface Call {
  readonly name: string;
  readonly audited: Audited;
  readonly words: readonly string[];
  /** The options that were given, and are not as usual. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Anything else may be a player or a secret that was given in the wrong place (D-43). */
const told = (audited: Audited, name: string, value: string): string =>
  audited[name]?.test(value) === true ? value : '…';

/** What a command was called to do, as the audit says it (D-40): its name, its words, and the names of its options, with the values that may be known. */
export const auditedOperation = ({ name, audited, words, values }: Call): string =>
  [
    name,
    ...words.map((word) => told(audited, 'words', word)),
    ...Object.entries(values).map(([option, value]) =>
      value === true ? `--${option}` : `--${option}=${told(audited, option, String(value))}`,
    ),
  ].join(' ');
