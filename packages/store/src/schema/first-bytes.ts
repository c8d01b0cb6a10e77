/**
 * Milliseconds, least first: where a class of times to the first byte ends and the next begins. Eight to each power of
 * ten.
 */
export const FIRST_BYTE_BOUNDS: readonly number[] = [10, 100, 1_000, 10_000].flatMap((power) =>
  [1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5].map((times) => Math.round(power * times)),
)

/** Columns of the classes: of `under_10` are those that are below 10 and in no class before. */
export const FIRST_BYTE_CLASSES: readonly string[] = [...FIRST_BYTE_BOUNDS.map((bound) => `under_${bound}`), 'longer']

/** SQL of which rows of `usage`, here `u`, say how long a first byte took: those whose answer was streamed. */
export const HAS_FIRST_BYTE =
  'u.stream <> 0 AND u.first_byte_ms IS NOT NULL AND u.status >= 200 AND u.status < 400 AND u.corrects IS NULL'

/** SQL of how many rows of `usage`, here `u`, are of each class, in the order of classes. */
export const FIRST_BYTE_COUNTS: readonly string[] = FIRST_BYTE_CLASSES.map((_, index) => {
  const [least, bound] = [FIRST_BYTE_BOUNDS[index - 1], FIRST_BYTE_BOUNDS[index]]
  const within = [
    ...(least === undefined ? [] : [`u.first_byte_ms >= ${least}`]),
    ...(bound === undefined ? [] : [`u.first_byte_ms < ${bound}`]),
  ]
  return `sum(CASE WHEN ${within.join(' AND ')} THEN 1 ELSE 0 END)`
})
