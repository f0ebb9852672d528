import type { RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const { oas, asyncapi } = rulesets as unknown as Record<'oas' | 'asyncapi', RulesetDefinition>;

/** What the outside judge of deploy/generate/api looks at: everything, but for what has a reason. */
export const rules: RulesetDefinition = {
  extends: [
    [oas, 'all'],
    [asyncapi, 'all'],
  ],
  rules: {
    // Who runs it answers for it; the documents name no person.
    'info-contact': 'off',
    'asyncapi-info-contact': 'off',
    // The licence is named by its SPDX identifier, and OpenAPI 3.1 allows one of the two.
    'license-url': 'off',
    // Brokers are another in every environment.
    'asyncapi-servers': 'off',
    // 3.0 is what tools read today.
    'asyncapi-latest-version': 'off',
  },
};
