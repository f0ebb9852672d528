/** More than a key and a player have; who types without end is not listened to. */
const maxLength = 1_000;

/** So many lines of what somebody types or pipes in, without waiting for its end; fewer where it ends before. Input of which none is wanted is not touched. */
export const firstLines = async (input: AsyncIterable<Buffer>, count: number): Promise<string[]> => {
  if (count === 0) return [];
  const decoder = new TextDecoder();
  let lines: string[] = [''];
  for await (const piece of input) {
    lines = (lines.join('\n') + decoder.decode(piece, { stream: true })).split('\n');
    if (lines.length > count || lines.join('\n').length > maxLength) break;
  }
  return lines.slice(0, count).map((line) => line.replace(/\r$/, ''));
};
