import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const stop = 'everything is compiled';

/**
 * Has Node compile programs without running them. It links all that a module imports before it runs any of it, and runs the first import first:
 * that one throws. Rejects where one of them cannot be compiled.
 */
const compile = async (paths: readonly string[]): Promise<void> => {
  const thrown = `data:text/javascript,${encodeURIComponent(`throw ${JSON.stringify(stop)}`)}`;
  const urls = [thrown, ...paths.map((path) => pathToFileURL(resolve(path)).href)];
  const program = urls.map((url) => `import ${JSON.stringify(url)};`).join('');
  await import(`data:text/javascript,${encodeURIComponent(program)}`).catch((error: unknown) => {
    if (error !== stop) throw error;
  });
};

await compile(process.argv.slice(2));
