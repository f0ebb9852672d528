/** What is read of an object here. */
interface Judged {
  readonly metadata?: { readonly generation?: number | undefined };
  readonly status?: unknown;
}

/** The condition of a Game that tells whether it is in force (D-32), as Kubernetes writes conditions. */
export interface AcceptedCondition {
  readonly type: 'Accepted';
  readonly status: 'True' | 'False';
  readonly reason: 'InForce' | 'Refused';
  readonly message: string;
  readonly observedGeneration: number;
}

/** The condition that an object's status has, as far as it has one. */
export const writtenCondition = ({ status }: Judged): Partial<AcceptedCondition> | undefined => {
  const { conditions = [] } = (status ?? {}) as { conditions?: Partial<AcceptedCondition>[] };
  return conditions.find(({ type }) => type === 'Accepted');
};

/** Which version of its object a verdict is on. */
export const generationOf = ({ metadata }: Judged): number => metadata?.generation ?? 0;

/** Whether some replica has written that an object is in force as it stands now. */
export const isSaidInForce = (object: Judged): boolean => {
  const written = writtenCondition(object);
  return written?.status === 'True' && written.observedGeneration === generationOf(object);
};
