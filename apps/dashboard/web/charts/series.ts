import type { PeriodStep, Range } from '../view/ranges.ts'

/** Named values over time. */
export interface Series {
  readonly id: string
  readonly title: string
  /** Values by time; null = unknown. */
  readonly values: readonly (number | null)[]
}

/** Stacked values: each series includes the series below it. An unknown value counts as 0. */
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

/** Sum of all series at each time. */
export function totals(series: readonly Series[]): readonly number[] {
  return stacked(series).at(-1) ?? []
}

/** Event that a chart marks with a line. */
export interface ChartMark {
  /** Unix milliseconds. */
  readonly at: number
  readonly title: string
}

export interface TimeChartProps {
  /** Summary of the chart in a sentence: "Spend: $41.20 in the last 7 days, by model." */
  readonly sentence: string
  /** Kind of the series, such as `model` or `key`. Each kind has its own colors. */
  readonly kind: string
  /** Starts of the periods, in Unix milliseconds. */
  readonly times: readonly number[]
  readonly step: PeriodStep
  /** Start and end of the time axis, in Unix milliseconds. */
  readonly range: Pick<Range, 'from' | 'to'>
  /** Time zone in which days begin. Default: the browser's. */
  readonly zone?: string | undefined
  readonly series: readonly Series[]
  /** Stacked bars from 0 for counts and amounts, lines for measurements. */
  readonly look: 'bars' | 'lines'
  /** Formats a value. */
  format(value: number): string
  /** Called with the range that the user selected with the mouse. */
  onZoom?(from: number, to: number): void
  /** Called when the user clicks the name of a series. */
  onChoose?(series: Series): void
  readonly isTall?: boolean
  /** Events to mark. The page also lists them as text. */
  readonly marks?: readonly ChartMark[] | undefined
}
