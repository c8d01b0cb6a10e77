import { SESSION_FIELDS, SESSION_HEADERS, USER_FIELDS, USER_HEADERS } from '../../packages/gateway/src/edge/claims.ts'
import { LIST_HEADER, PREFIX_HEADER } from '../../packages/gateway/src/edge/tags.ts'
import { code, table } from './markdown.ts'

/** Headers and fields of requests that identify sessions, end users and tags. */
export function claimsTable(): string {
  const list = (names: readonly string[]): string => names.map((name) => code(name)).join(', ')
  return table(
    ['Field', 'Headers', 'Body'],
    [
      ['`session`', list(SESSION_HEADERS), list(SESSION_FIELDS)],
      ['`end_user`', list(USER_HEADERS), list(USER_FIELDS)],
      ['`tags`', list(['headgate-tags', LIST_HEADER, `${PREFIX_HEADER}<name>`]), ''],
    ],
  )
}
