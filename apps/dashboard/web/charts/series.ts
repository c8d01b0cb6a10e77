import type { Range, Step } from '../view/ranges.ts'

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

/** What a chart of something over time is made of. */
export interface TimeChartProps {
  /** What it shows, in a sentence: "Spend of $41.20, most of it on Tuesday." */
  readonly sentence: string
  /** What is told apart, as models or keys: their colors stay. */
  readonly kind: string
  /** Starts of the periods, in Unix milliseconds. */
  readonly times: readonly number[]
  readonly step: Step
  /** Ends of the time axis, in Unix milliseconds. */
  readonly range: Pick<Range, 'from' | 'to'>
  /** Time zone in which days begin. Default: the browser's. */
  readonly zone?: string | undefined
  readonly series: readonly Series[]
  /** Counts and amounts are stacked bars, from 0; what is measured are lines. */
  readonly look: 'bars' | 'lines'
  /** A value in words. */
  format(value: number): string
  /** Told what was drawn over by a mouse; what it does has a button as well. */
  onZoom?(from: number, to: number): void
  /** What a series leads to, beside its name. */
  onChoose?(series: Series): void
  readonly isTall?: boolean
}
