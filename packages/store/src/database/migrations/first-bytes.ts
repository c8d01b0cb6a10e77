import type { Connection } from '../connection.ts'

const BOUNDS = [10, 100, 1_000, 10_000].flatMap((power) =>
  [1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5].map((times) => Math.round(power * times)),
)

const SPANS = { hour: 3_600_000, day: 86_400_000 }

/** How many first bytes took how long, by hours, days in UTC and keys, with those of the rows that are there. */
export function firstBytes(kind: Connection['kind']): readonly string[] {
  const isPostgres = kind === 'postgres'
  const [int, text] = isPostgres ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const [least, greatest] = isPostgres ? ['least', 'greatest'] : ['min', 'max']
  const classes = [...BOUNDS.map((bound) => `under_${bound}`), 'longer']
  const counts = classes.map((_, index) => {
    const from = index === 0 ? '' : `first_byte_ms >= ${BOUNDS[index - 1]}`
    const to = index === BOUNDS.length ? '' : `first_byte_ms < ${BOUNDS[index]}`
    return `sum(CASE WHEN ${[from, to].filter((one) => one !== '').join(' AND ')} THEN 1 ELSE 0 END)`
  })
  const table = ([span]: readonly [string, number]) =>
    `CREATE TABLE usage_first_byte_${span}s (
      ${span} ${int} NOT NULL, principal ${text} NOT NULL, ${classes.map((name) => `${name} ${int} NOT NULL`).join(', ')},
      PRIMARY KEY (${span}, principal))${isPostgres ? '' : ' STRICT, WITHOUT ROWID'}`
  const start = (length: number) => `${least}(${greatest}(at, 0), 8639999740800000) / ${length} * ${length}`
  return [
    ...Object.entries(SPANS).map(table),
    `INSERT INTO usage_first_byte_hours (hour, principal, ${classes.join(', ')})
      SELECT ${start(SPANS.hour)}, substr(principal, 1, 200), ${counts.join(', ')} FROM usage
      WHERE stream <> 0 AND first_byte_ms IS NOT NULL AND status >= 200 AND status < 400 AND corrects IS NULL GROUP BY 1, 2`,
    `INSERT INTO usage_first_byte_days (day, principal, ${classes.join(', ')})
      SELECT hour / ${SPANS.day} * ${SPANS.day}, principal, ${classes.map((name) => `sum(${name})`).join(', ')} FROM usage_first_byte_hours
      GROUP BY 1, 2`,
  ]
}
