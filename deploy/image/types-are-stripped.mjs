// Loaded before what the image's entry point runs: what is called .ts there is JavaScript already (strip-types.mjs). Node would load its
// TypeScript stripper to find that out, which takes 0.2 s of CPU and 20 MB of a process for as long as it lives.
import { registerHooks } from 'node:module';

registerHooks({
  load: (url, context, next) => next(url, url.endsWith('.ts') ? { ...context, format: 'module' } : context),
});
