/** The value of a cell; null is an empty one. */
export type Cell = string | number | null;

const needsQuotes = /[",\r\n]/;
/** What a spreadsheet would run as a formula; an apostrophe before it makes it text. */
const isFormula = /^[=+\-@\t\r]/;

const cellText = (cell: Cell): string => {
  if (typeof cell === 'number' || cell === null) return String(cell ?? '');
  if (isFormula.test(cell)) return `"'${cell.replaceAll('"', '""')}"`;
  return needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
};

/** One line of CSV as in RFC 4180, except that it ends in a bare newline; a text that a spreadsheet would run is made text. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\n`;

/** What the last line of a CSV says: the number of rows, their seconds, and the SHA-256 of every byte before that line. */
export interface Checksum {
  readonly rowCount: number;
  readonly totalSec: number;
  readonly sha256: string;
}

/** The last line of a CSV: `head -n -1 file | sha256sum` gives the same digest (D-28). */
export const checksumLine = ({ rowCount, totalSec, sha256 }: Checksum): string =>
  `# rows=${rowCount} total_sec=${totalSec} sha256=${sha256}\n`;
