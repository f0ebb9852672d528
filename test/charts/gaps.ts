/** A field that an incomplete CRD does not know, although the operator does. */
export interface Gap {
  readonly group: string;
  readonly kind: string;
  readonly path: readonly string[];
  readonly why: string;
}

const generated =
  'this cluster’s CRD was generated from Strimzi’s classes, which drops what only a subtype has; the operator’s own CRD has it';

/** The only fields that may go unjudged, and only where the CRD at hand lacks them; any other unknown field is a failure. */
export const knownGaps: readonly Gap[] = [
  { group: 'kafka.strimzi.io', kind: 'KafkaUser', path: ['spec', 'authorization', 'acls'], why: generated },
  { group: 'kafka.strimzi.io', kind: 'KafkaNodePool', path: ['spec', 'storage', 'size'], why: generated },
  {
    group: 'kafka.strimzi.io',
    kind: 'KafkaNodePool',
    path: ['spec', 'storage', 'deleteClaim'],
    why: generated,
  },
];
