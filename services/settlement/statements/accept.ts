const weightOf = (accept: string, type: string): number => {
  const entry = accept
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .find(([name]) => name === type);
  if (entry === undefined) return 0;
  const quality = entry.find((part) => part.startsWith('q='));
  return quality === undefined ? 1 : Number(quality.slice('q='.length)) || 0;
};

/** Whether an Accept header prefers CSV; the default is JSON. */
export const prefersCsv = (accept = ''): boolean => {
  const csv = weightOf(accept, 'text/csv');
  return csv > 0 && csv >= weightOf(accept, 'application/json');
};
