/** Something over time. */
export interface Series {
  readonly id: string
  readonly title: string
  /** One for each time; null = nobody knows. */
  readonly values: readonly (number | null)[]
}

/**
 * Values on top of each other, each series with all that lie below it: as bars are stacked. What is not known adds
 * nothing.
 */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  const sums: number[] = []
  return series.map(({ values }) => {
    return values.map((value, index) => {
      const sum = (sums[index] ?? 0) + (value ?? 0)
      sums[index] = sum
      return sum
    })
  })
}

/** All of a time. */
export function totals(series: readonly Series[]): readonly number[] {
  return stacked(series).at(-1) ?? []
}
