import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const mostOutput = 64 * 1024 * 1024;

const component = z.object({
  name: z.string(),
  version: z.string(),
  licenses: z
    .array(
      z.object({
        expression: z.string().optional(),
        license: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
      }),
    )
    .default([]),
});

/** A package of the product, and the licence that it names: an SPDX id or expression; empty where it names none. */
export interface Part {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

const licenceOf = ({ licenses }: z.output<typeof component>): string =>
  licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? '').join(' AND ');

/** What the image is made of besides our own files: the bill of materials as npm writes it (CycloneDX), and its packages by name. */
export const billOfMaterials = async (): Promise<{ text: string; parts: Part[] }> => {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'];
  const { stdout: text } = await promisify(execFile)('npm', args, { maxBuffer: mostOutput });
  const { components } = z.object({ components: z.array(component) }).parse(JSON.parse(text));
  const parts = components.map((each) => ({
    name: each.name,
    version: each.version,
    licence: licenceOf(each),
  }));
  return { text, parts: parts.sort((a, b) => a.name.localeCompare(b.name)) };
};

/** Whether a licence, or one side of an OR, is among the accepted ones. */
export const isAccepted = (licence: string, accepted: readonly string[]): boolean =>
  licence
    .replaceAll(/[()]/g, '')
    .split(/\s+OR\s+/)
    .some((side) => side !== '' && side.split(/\s+AND\s+/).every((id) => accepted.includes(id)));
