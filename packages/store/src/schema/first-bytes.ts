/** Upper bounds of first-byte latency classes in milliseconds, ascending. Eight per power of ten. */
export const FIRST_BYTE_BOUNDS: readonly number[] = [10, 100, 1_000, 10_000].flatMap((power) =>
  [1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5].map((times) => Math.round(power * times)),
)

/** Columns of the classes. `under_10` counts values below 10 that are in no earlier class. */
export const FIRST_BYTE_CLASSES: readonly string[] = [...FIRST_BYTE_BOUNDS.map((bound) => `under_${bound}`), 'longer']

/** SQL condition of rows of `usage AS u` with a first-byte latency: successful streamed responses. */
export const HAS_FIRST_BYTE =
  'u.stream <> 0 AND u.first_byte_ms IS NOT NULL AND u.status >= 200 AND u.status < 400 AND u.corrects IS NULL'

/** SQL of the number of rows of `usage AS u` in each class, in the order of classes. */
export const FIRST_BYTE_COUNTS: readonly string[] = FIRST_BYTE_CLASSES.map((_, index) => {
  const [least, bound] = [FIRST_BYTE_BOUNDS[index - 1], FIRST_BYTE_BOUNDS[index]]
  const within = [
    ...(least === undefined ? [] : [`u.first_byte_ms >= ${least}`]),
    ...(bound === undefined ? [] : [`u.first_byte_ms < ${bound}`]),
  ]
  return `sum(CASE WHEN ${within.join(' AND ')} THEN 1 ELSE 0 END)`
})
