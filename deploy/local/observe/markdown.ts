const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const inline = (text: string): string =>
  escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => `<td>${inline(cell.trim())}</td>`);

const listOf = (lines: readonly string[]): string => {
  const items = lines.join('\n').split(/^- /m).slice(1);
  return `<ul>${items.map((item) => `<li>${inline(item.replaceAll('\n', ' '))}</li>`).join('')}</ul>`;
};

/** Lines of a kind, as HTML. */
const blockOf = (block: string): string => {
  const lines = block.split('\n');
  const [first = ''] = lines;
  const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(first) ?? [];
  if (marks !== undefined && heading !== undefined)
    return `<h${marks.length}>${inline(heading)}</h${marks.length}>`;
  if (first.startsWith('```')) return `<pre>${escaped(lines.slice(1, -1).join('\n'))}</pre>`;
  if (first.startsWith('- ')) return listOf(lines);
  if (!first.startsWith('|')) return `<p>${inline(lines.join(' '))}</p>`;
  const rows = lines.filter((line) => !/^\|[-| ]+\|$/.test(line));
  return `<table>${rows.map((line) => `<tr>${cellsOf(line).join('')}</tr>`).join('')}</table>`;
};

/** Code as one block, although it has empty lines; headings alone; all else from one empty line to the next. */
const blocks = /^```[^\n]*\n[\s\S]*?^```$|^#{1,6} .*$|^(?!```|#)\S[^\n]*(?:\n(?!```|#{1,6} )[^\n]+)*/gm;

/** Our documents as HTML: headings, paragraphs, lists, tables, code and links, and no more of Markdown. */
export const htmlOf = (markdown: string): string =>
  [...markdown.matchAll(blocks)].map(([block]) => blockOf(block)).join('\n');
