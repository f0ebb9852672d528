import { isIPv4 } from 'node:net';
import { uuidAtEnd } from '#libs/kernel/uuid.ts';

/** How many characters a UUID takes in base64, and as text. */
const uuidLength = { packed: 22, text: 36 };

const packUuid = (text: string): string => Buffer.from(text.replaceAll('-', ''), 'hex').toString('base64url');
/** An id that ends in a UUID in lower case, perhaps behind a prefix, as it stands in Redis. */
export const packId = (id: string): string =>
  id.slice(0, -uuidLength.text) + packUuid(id.slice(-uuidLength.text));
const readUuid = (packed: string): string => {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** No text that is packed has a control character: one parts what stands before a UUID from the UUID. */
const beforeUuid = '\u0001';

/** A text without control characters as it stands in Redis: of many, such as players, the end is a UUID in lower case, which takes less. */
export const packName = (text: string): string =>
  text.replace(uuidAtEnd, (uuid) => beforeUuid + packUuid(uuid));
const readName = (packed: string): string => {
  const [text = '', uuid] = packed.split(beforeUuid);
  return uuid === undefined ? packed : text + readUuid(uuid);
};

/** A traceparent as our own spans have it: 25 bytes, which take 34 characters in base64; of a trace that is not kept 16, in 22 characters. */
const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const packedTraceLength = { kept: 34, dropped: 22 };
const dropped = '00';

const packTrace = (text: string): string => {
  const [all, trace = '', span = '', flags = ''] = traceparent.exec(text) ?? [];
  if (all === undefined) return text;
  return Buffer.from(flags === dropped ? trace : trace + span + flags, 'hex').toString('base64url');
};
/** Nobody has the spans of a trace that is not kept: of its own digits some stand for one. */
const readTrace = (packed: string): string => {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  const trace = hex.slice(0, 32);
  if (packed.length === packedTraceLength.dropped) return `00-${trace}-${trace.slice(0, 16)}-${dropped}`;
  return packed.length === packedTraceLength.kept
    ? `00-${trace}-${hex.slice(32, 48)}-${hex.slice(48)}`
    : packed;
};

/** An IPv4 address as a signed number of 32 bits, which takes 6 bytes at most; another address stands as it is. */
const packAddress = (ip: string): string =>
  isIPv4(ip) ? String(Buffer.from(ip.split('.').map(Number)).readInt32BE()) : ip;
const readAddress = (packed: string): string => {
  if (!/^-?\d+$/.test(packed)) return packed;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Number(packed) >>> 0);
  return bytes.join('.');
};

/** How the values of a field stand in Redis. */
const kinds = {
  texts: { write: String, read: (text: string): unknown => text },
  names: { write: (value: unknown) => packName(String(value)), read: readName },
  /** Redis keeps them in a few bytes. */
  numbers: { write: String, read: Number },
  flags: { write: (value: unknown) => (value === true ? '1' : '0'), read: (text: string) => text === '1' },
  uuids: {
    write: (value: unknown) => packId(String(value)),
    read: (text: string) => text.slice(0, -uuidLength.packed) + readUuid(text.slice(-uuidLength.packed)),
  },
  addresses: { write: (value: unknown) => packAddress(String(value)), read: readAddress },
  traces: {
    write: (value: unknown) => packTrace(String(value)),
    read: readTrace,
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
 * What fields nearly always are that are never null, by their names on the wire: such a value is left out. Of an instant that is told by
 * another one it is how many ms it lies after that. Who changes one here cannot read any more what was written before.
 */
export type Usual = Readonly<Record<string, string | number | boolean>>;

/**
 * Instants, by their names on the wire, each with one that is near: what stands is how many ms it lies after that, which takes less. That one
 * is a number of the record itself and counted from nothing. Who changes one here misreads what was written before.
 */
export type Since = Readonly<Record<string, string>>;

/** What of a record's fields is written in which way. */
export interface PackingOptions {
  readonly usual?: Usual;
  readonly since?: Since;
}

/** A record of one kind as a hash of Redis. */
export interface Packing {
  /** Names and values in turn; what is null, an empty list or as usual is left out. */
  pack(record: Wire): string[];
  /** The record without what its key tells. */
  unpack(fields: Readonly<Record<string, string>>): Wire;
}

/** Of a record that stands as JSON, and of a packed one, its version and its owner. */
export const scriptNames = {
  json: { version: 'version', owner: 'owner' },
  packed: { version: 'V', owner: 'O' },
} as const;
/** Names that the scripts know, of every record: no field of a record may have them. */
const reserved = ['version', 'owner', 'full_at', 'json', 'V', 'O', 'F'];

interface Field {
  readonly kind: Kind;
  readonly outer: string;
  readonly inner: string | undefined;
  readonly short: string;
  /** Its value where it does not stand there. */
  readonly absent: unknown;
  /** The field on the wire that its number is counted from, or undefined: from 0. */
  readonly since: string | undefined;
}

const refuseBadOrigins = (names: ShortNames, { since = {} }: PackingOptions): void => {
  const isOrigin = (path: string): boolean => names.numbers?.[path] !== undefined && !path.includes('.');
  for (const [path, origin] of Object.entries(since))
    if (!isOrigin(origin) || origin in since || names.numbers?.[path] === undefined)
      throw new Error(`${path} cannot be counted from ${origin}`);
};

const fieldsOf = (names: ShortNames, { usual = {}, since = {} }: PackingOptions): Field[] => {
  refuseBadOrigins(names, { since });
  return (Object.keys(names) as Kind[]).flatMap((kind) =>
    Object.entries(names[kind] ?? {}).map(([path, short]) => {
      if (reserved.includes(short)) throw new Error(`no field of a record can be called ${short}`);
      const [outer = '', inner] = path.split('.');
      const absent = usual[path] ?? (kind === 'lists' ? [] : null);
      return { kind, outer, inner, short, absent, since: since[path] };
    }),
  );
};

const isNone = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

type Packed = Readonly<Record<string, string>>;

const valueIn = ({ kind, short, absent }: Field, packed: Packed): unknown => {
  const text = packed[short];
  return text === undefined ? absent : kinds[kind].read(text);
};

/**
 * A hash whose names and values are short takes a third of the memory that the same record takes as JSON: Redis keeps it in one piece as
 * long as no value has more than 64 bytes (D-57).
 */
export const packing = (names: ShortNames, options: PackingOptions = {}): Packing => {
  const fields = fieldsOf(names, options);
  const byName = new Map(fields.map((field) => [field.outer, field]));
  /** The instant that a field is counted from, in a packed record. */
  const originIn = ({ since }: Field, packed: Packed): number => {
    const origin = since === undefined ? undefined : byName.get(since);
    return origin ? Number(valueIn(origin, packed)) : 0;
  };
  const readOf = (field: Field, packed: Packed): unknown => {
    const value = valueIn(field, packed);
    return typeof value === 'number' ? value + originIn(field, packed) : value;
  };
  const plain = fields.filter(({ inner }) => inner === undefined);
  const objects = Map.groupBy(
    fields.filter(({ inner }) => inner !== undefined),
    ({ outer }) => outer,
  );
  return {
    pack: (record) =>
      fields.flatMap((field) => {
        const { kind, outer, inner, short, absent, since } = field;
        const value = inner === undefined ? record[outer] : (record[outer] as Wire | null)?.[inner];
        if (isNone(value)) return [];
        const told = since === undefined ? value : Number(value) - Number(record[since]);
        return told === absent ? [] : [short, kinds[kind].write(told)];
      }),
    unpack: (packed) => {
      const record: Record<string, unknown> = {};
      for (const field of plain) record[field.outer] = readOf(field, packed);
      for (const [outer, inside] of objects) {
        const stands = inside.some(({ short }) => packed[short] !== undefined);
        const values = inside.map((field) => [field.inner, readOf(field, packed)] as const);
        record[outer] = stands ? Object.fromEntries(values) : null;
      }
      return record;
    },
  };
};
