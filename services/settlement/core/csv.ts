/** What stands in a cell. */
export type Cell = string | number | null;

const needsQuotes = /[",\r\n]/;

const cellText = (cell: Cell): string => {
  const text = cell === null ? '' : String(cell);
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of CSV (RFC 4180, but that a line ends in a bare newline). */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\n`;

/** What a CSV ends with: the rows, their seconds, and the SHA-256 of every byte before this line. */
export interface Seal {
  readonly rowCount: number;
  readonly totalSec: number;
  readonly sha256: string;
}

/** The last line, which proves the rest: `head -n -1 file | sha256sum` gives the same digest (D-28). */
export const sealLine = ({ rowCount, totalSec, sha256 }: Seal): string =>
  `# rows=${rowCount} total_sec=${totalSec} sha256=${sha256}\n`;
