import type { SearchQuery, Site } from '@headgate/core/search'

type Value = string | number

/** Condition on the columns of `documents`, with its values. */
export interface SearchFilter {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Filter from the parameters of a search. Undefined without any. */
export function filterOf({ siteSearch, dateRestrict, fileType, lr }: SearchQuery): SearchFilter | undefined {
  const conditions: SearchFilter[] = []
  if (siteSearch && siteSearch.include.length > 0) conditions.push(anyOf(siteSearch.include.map(onSite)))
  for (const site of siteSearch?.exclude ?? []) conditions.push(not(onSite(site)))
  if (dateRestrict) conditions.push({ sql: 'date >= ?', values: [dateRestrict.since] })
  if (fileType !== undefined) conditions.push({ sql: 'type = ?', values: [fileType.toLowerCase()] })
  if (lr !== undefined) conditions.push(inLanguage(lr.toLowerCase()))
  if (conditions.length === 0) return undefined
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) }
}

function anyOf(filters: readonly SearchFilter[]): SearchFilter {
  return { sql: `(${filters.map(({ sql }) => sql).join(' OR ')})`, values: filters.flatMap(({ values }) => values) }
}

function not({ sql, values }: SearchFilter): SearchFilter {
  return { sql: `NOT ${sql}`, values }
}

function onSite({ host, path }: Site): SearchFilter {
  const onHost = { sql: '(host = ? OR substr(host, ?) = ?)', values: [host, -(host.length + 1), `.${host}`] }
  if (path === '') return onHost
  return {
    sql: `(${onHost.sql} AND (place = ? OR substr(place, 1, ?) = ?))`,
    values: [...onHost.values, path, path.length + 1, `${path}/`],
  }
}

/** Documents without a language match every language. */
function inLanguage(language: string): SearchFilter {
  return {
    sql: '(lang IS NULL OR lang = ? OR substr(lang, 1, ?) = ?)',
    values: [language, language.length + 1, `${language}-`],
  }
}
