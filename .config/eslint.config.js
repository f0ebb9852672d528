import tseslint from 'typescript-eslint';

/** How large things may be: tables may be long; files, functions and nesting may not. */
export default tseslint.config(
  { ignores: ['node_modules/**', '.local/**'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      'max-depth': ['error', 2],
      'max-nested-callbacks': ['error', 4],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true, ignoreVoidOperator: true },
      ],
      '@typescript-eslint/require-await': 'off',
      // Ports are records of functions; nothing here looks at its `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['test/**'],
    rules: {
      'max-lines-per-function': 'off',
      'max-params': 'off',
      'max-nested-callbacks': 'off',
      // Jest's matchers are typed as any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: [
      ...['services/*/{core,usecases}/**', 'services/settlement/{ledger,statements,closing}/**'],
      ...['libs/kernel/**', 'deploy/operations/replay/replay-day.ts'],
    ],
    ignores: ['**/http-*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'fetch', 'crypto'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is an argument.' },
        { object: 'Math', property: 'random', message: 'Randomness is an argument.' },
      ],
    },
  },
  {
    files: [
      '.config/**',
      'deploy/local/bootstrap.mjs',
      'deploy/image/*.mjs',
      'deploy/local/observe/page/*.mjs',
    ],
    ...tseslint.configs.disableTypeChecked,
    rules: { ...tseslint.configs.disableTypeChecked.rules, 'no-restricted-exports': 'off' },
  },
  // Jest loads its set-up, and a declaration describes its module, by a default export.
  {
    files: ['test/support/global-*.ts', '**/*.d.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
