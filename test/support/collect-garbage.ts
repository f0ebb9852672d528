import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects all objects, or only the young ones. */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
setFlagsFromString('--no-expose-gc');
