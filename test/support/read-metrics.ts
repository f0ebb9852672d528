/** One value of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const labelPattern = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a text in Prometheus' exposition format. */
export const samplesOf = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(labelPattern)].map(([, label, said]) => [label, said] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

/** What every service emits now. */
export const scrape = async (processes: readonly { service: string; ops: string }[]): Promise<Sample[]> => {
  const scrapes = processes.map(async ({ ops }) => samplesOf(await (await fetch(`${ops}/metrics`)).text()));
  return (await Promise.all(scrapes)).flat();
};
