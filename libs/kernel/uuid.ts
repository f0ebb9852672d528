/** A UUID in lower case at the end of an id, before which something may stand. */
export const uuidAtEnd = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
