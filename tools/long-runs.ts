/** Runs tests in full length: `HEADGATE_LONG=1`, as in CI's nightly run. Default: false. */
const isLong = process.env['HEADGATE_LONG'] === '1'

/** Count or selection that repeats a test: `short` by default, `long` with `HEADGATE_LONG=1`. */
export function repeated<T>(short: T, long: T): T {
  return isLong ? long : short
}
