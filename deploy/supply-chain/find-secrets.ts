import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a secret looks like in a file. */
const shapes: readonly (readonly [what: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['a key of gsb', /\bgsb_(?:dev|qa|live)_[a-z0-9]{8}_[0-9A-Za-z]{43}_[0-9a-f]{8}\b/],
  ['a key of AWS', /\bAKIA[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\bgh[pousr]_[0-9A-Za-z]{36}\b/],
  ['a token of npm', /\bnpm_[0-9A-Za-z]{36}\b/],
  ['a token of Slack', /\bxox[abprs]-[0-9A-Za-z-]{20,}/],
  ['a JSON Web Token', /\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\./],
  [
    'a password in a URL',
    /\b(?:postgres(?:ql)?|rediss?|amqp|https?):\/\/[^\s:/@"'`$<{]+:[^\s:/@"'`$<{…]{8,}@/,
  ],
];

/** Where a text has what looks like a secret: line and kind, never the text itself. */
export const secretsIn = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, at) =>
      shapes.filter(([, shape]) => shape.test(line)).map(([what]) => `${at + 1}: ${what}`),
    );

/** Every place in the files that git knows, `file:line: what`. */
export const secretsInRepository = (root: string): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && file !== 'package-lock.json')
    .flatMap((file) => secretsIn(readFileSync(join(root, file), 'utf8')).map((place) => `${file}:${place}`));
