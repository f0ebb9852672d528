const round = (value, digits = 3) => String(Number(value.toPrecision(digits)));

const duration = (sec) => {
  if (sec === 0) return '0 s';
  if (sec < 0.001) return `${round(sec * 1e6)} µs`;
  if (sec < 1) return `${round(sec * 1000)} ms`;
  if (sec < 120) return `${round(sec)} s`;
  if (sec < 7_200) return `${round(sec / 60)} min`;
  return sec < 172_800 ? `${round(sec / 3_600)} h` : `${round(sec / 86_400)} days`;
};

const short = (value) => {
  if (Math.abs(value) >= 1e6) return `${round(value / 1e6)} M`;
  return Math.abs(value) >= 10_000 ? `${round(value / 1000)} k` : round(value, 4);
};

/** A value in a unit of Grafana's, as a person reads it. */
export const inUnit = (value, unit) => {
  if (value === undefined || Number.isNaN(value)) return 'nothing lately';
  switch (unit) {
    case 's':
    case 'dtdurations':
      return duration(value);
    case 'percentunit':
      return `${round(value * 100, value > 0.99 && value < 1 ? 5 : 3)} %`;
    case 'ops':
      return `${short(value)}/s`;
    case 'bytes':
      return `${round(value / 1048576)} MiB`;
    default:
      return short(value);
  }
};
