import type { StoreConnection } from '../database/connection.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import { MEASURES } from '../schema/usage.ts'
import { rowSums } from './row-sums.ts'
import { RESERVED_TAGS } from './row-tags.ts'

/** Hour, or part of an hour, that moves from one day to another. */
export interface TagMove {
  readonly hour: number
  /** Absent if the whole hour moves. */
  readonly part?: readonly [start: number, end: number]
  readonly from: string
  readonly to: string
}

/** SQL condition of rows with tags, an end user or a session. */
export const IS_TAGGED = '(u.tags IS NOT NULL OR u.end_user IS NOT NULL OR u.session IS NOT NULL)'
const OTHERS = `'${RESERVED_TAGS.user}', nullif(u.end_user, ''), '${RESERVED_TAGS.session}', nullif(u.session, '')`

/** Moves the tag sums of hours to their new days. A day can then have more values than the limit for a new day. */
export async function moveTagDays(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  moves: readonly TagMove[],
): Promise<void> {
  for (const { hour, part, from, to } of moves) {
    const source = part
      ? ofRows(kind, hour, part)
      : `SELECT project, tag, value, ${MEASURES.join(', ')} FROM usage_tag_hours WHERE hour = ${hour}`
    for (const [day, sign] of [
      [to, ''],
      [from, '-'],
    ])
      await runSql(
        trx,
        `INSERT INTO usage_tag_days (day, project, tag, value, ${MEASURES.join(', ')})
          SELECT '${day}', project, tag, value, ${MEASURES.map((name) => sign + name).join(', ')} FROM (${source}) AS moved WHERE 1 = 1
          ON CONFLICT (tag, day, project, value) DO UPDATE SET ${MEASURES.map((name) => `${name} = usage_tag_days.${name} + excluded.${name}`).join(', ')}`,
      )
  }
}

/** SQL of the tags of rows, each as `t` with `key` and `value`, for use after FROM. */
export function taggedRows(kind: StoreConnection['kind']): string {
  return kind === 'sqlite'
    ? `usage AS u JOIN json_each(json_patch(coalesce(u.tags, '{}'), json_object(${OTHERS}))) AS t`
    : `usage AS u CROSS JOIN LATERAL jsonb_each_text(coalesce(u.tags, '{}')::jsonb || jsonb_strip_nulls(jsonb_build_object(${OTHERS}))) AS t(key, value)`
}

/** SQL of the tag sums of rows, under the names and values of their hour. */
function ofRows(kind: StoreConnection['kind'], hour: number, [start, end]: readonly [number, number]): string {
  return tagSumsOfRows(
    kind,
    (name) => `usage_tag_hours AS ${name} ON ${name}.hour = ${hour}`,
    `u.at >= ${start} AND u.at < ${end}`,
  )
}

/**
 * SQL of the tag sums of rows, under the names and values in the table `apart`.
 * @param apart table and its period, for use after JOIN
 */
export function tagSumsOfRows(kind: StoreConnection['kind'], apart: (name: string) => string, within: string): string {
  const at = (tag: string, value: string, name: string) =>
    `LEFT JOIN ${apart(name)} AND ${name}.project = coalesce(p.project, '') AND ${name}.tag = ${tag} AND ${name}.value = ${value}`
  const sums = rowSums(kind, 'u')
  return `SELECT coalesce(p.project, '') AS project, coalesce(own.tag, rest.tag, '') AS tag, coalesce(own.value, '') AS value, ${sums}
    FROM ${taggedRows(kind)} LEFT JOIN principals AS p ON p.id = u.principal ${at('t.key', 't.value', 'own')} ${at('t.key', "''", 'rest')}
    WHERE ${within} AND ${IS_TAGGED} GROUP BY 1, 2, 3`
}
