/** A moving average over the last so many windows that have a number. Gaps stay gaps. */
export function smoothed(values: readonly (number | null | undefined)[], span: number): (number | null | undefined)[] {
  if (span <= 1) return [...values];
  const recent: number[] = [];
  return values.map((value) => {
    if (value == null) return value;
    recent.push(value);
    if (recent.length > span) recent.shift();
    return recent.reduce((sum, each) => sum + each, 0) / recent.length;
  });
}
