/** How many characters a UUID takes in base64, and as text. */
const uuidLength = { packed: 22, text: 36 };

const packUuid = (text: string): string => Buffer.from(text.replaceAll('-', ''), 'hex').toString('base64url');
const readUuid = (packed: string): string =>
  Buffer.from(packed, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** How the values of a field stand in Redis. */
const kinds = {
  texts: { write: String, read: (text: string): unknown => text },
  /** Redis keeps them in a few bytes. */
  numbers: { write: String, read: Number },
  flags: { write: (value: unknown) => (value === true ? '1' : '0'), read: (text: string) => text === '1' },
  /** UUIDs in lower case, perhaps behind a prefix. */
  uuids: {
    write: (value: unknown) =>
      String(value).slice(0, -uuidLength.text) + packUuid(String(value).slice(-uuidLength.text)),
    read: (text: string) => text.slice(0, -uuidLength.packed) + readUuid(text.slice(-uuidLength.packed)),
  },
  lists: {
    write: (value: unknown) => JSON.stringify(value),
    read: (text: string) => JSON.parse(text) as unknown,
  },
};
type Kind = keyof typeof kinds;

/** The short names of a record's fields by their names on the wire; a dot leads into an object that may be null. */
export type ShortNames = { readonly [K in Kind]?: Readonly<Record<string, string>> };

/** A value as it stands on the wire. */
export type Wire = Readonly<Record<string, unknown>>;

/**
 * What fields nearly always are that are never null, by their names on the wire: such a value is left out. Who changes one here cannot read
 * any more what was written before.
 */
export type Usual = Readonly<Record<string, string | number | boolean>>;

/** A record of one kind as a hash of Redis. */
export interface Packing {
  /** Names and values in turn; what is null, an empty list or as usual is left out. */
  pack(record: Wire): string[];
  /** The record without what its key tells. */
  unpack(fields: Readonly<Record<string, string>>): Wire;
}

/** Names that the scripts know, of every record: no field of a record may have them. */
const reserved = ['version', 'owner', 'full_at', 'json'];

interface Field {
  readonly kind: Kind;
  readonly outer: string;
  readonly inner: string | undefined;
  readonly short: string;
  /** Its value where it does not stand there. */
  readonly absent: unknown;
}

const fieldsOf = (names: ShortNames, usual: Usual): Field[] =>
  (Object.keys(names) as Kind[]).flatMap((kind) =>
    Object.entries(names[kind] ?? {}).map(([path, short]) => {
      if (reserved.includes(short)) throw new Error(`no field of a record can be called ${short}`);
      const [outer = '', inner] = path.split('.');
      return { kind, outer, inner, short, absent: usual[path] ?? (kind === 'lists' ? [] : null) };
    }),
  );

const isAbsent = ({ absent }: Field, value: unknown): boolean =>
  value === null || value === undefined || value === absent || (Array.isArray(value) && value.length === 0);

const valueIn = ({ kind, short, absent }: Field, packed: Readonly<Record<string, string>>): unknown => {
  const text = packed[short];
  return text === undefined ? absent : kinds[kind].read(text);
};

/**
 * A hash whose names and values are short takes a third of the memory that the same record takes as JSON: Redis keeps it in one piece as
 * long as no value has more than 64 bytes (D-57).
 */
export const packing = (names: ShortNames, usual: Usual = {}): Packing => {
  const fields = fieldsOf(names, usual);
  const plain = fields.filter(({ inner }) => inner === undefined);
  const objects = Map.groupBy(
    fields.filter(({ inner }) => inner !== undefined),
    ({ outer }) => outer,
  );
  return {
    pack: (record) =>
      fields.flatMap((field) => {
        const { kind, outer, inner, short } = field;
        const value = inner === undefined ? record[outer] : (record[outer] as Wire | null)?.[inner];
        return isAbsent(field, value) ? [] : [short, kinds[kind].write(value)];
      }),
    unpack: (packed) => {
      const record: Record<string, unknown> = {};
      for (const field of plain) record[field.outer] = valueIn(field, packed);
      for (const [outer, inside] of objects) {
        const stands = inside.some(({ short }) => packed[short] !== undefined);
        const values = inside.map((field) => [field.inner, valueIn(field, packed)] as const);
        record[outer] = stands ? Object.fromEntries(values) : null;
      }
      return record;
    },
  };
};
