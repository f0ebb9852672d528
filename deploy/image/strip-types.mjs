// While the image is built: leaves of each TypeScript file in the folders that are named what Node would run of it, types as blanks, so that
// every line and column stays where it is. Ends with 1 and names the file where there is something that blanks cannot stand for.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const strip = (file) => {
  try {
    writeFileSync(file, stripTypeScriptTypes(readFileSync(file, 'utf8')));
  } catch (error) {
    process.stderr.write(`${file}: ${error.message}\n`);
    process.exit(1);
  }
};

for (const folder of process.argv.slice(2)) for (const file of globSync(`${folder}/**/*.ts`)) strip(file);
