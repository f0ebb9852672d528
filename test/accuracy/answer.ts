/** What a caller received, in one word, and whether asking again makes sense. */
export interface Answer<T> {
  readonly outcome: string;
  /** Nothing came back, or 5xx: nobody knows what became of it. */
  readonly unsure: boolean;
  readonly data?: T;
}

/** Whether a status tells nothing of what became of a call; 0 is no answer. */
export const isUnsure = (status: number): boolean => status === 0 || status >= 500 || status === 429;
