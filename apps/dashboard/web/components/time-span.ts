/** Time range in Unix milliseconds. The end is not part of it. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}
