import type { StoreConnection } from './connection.ts'

/** SQL of rows `w` with text columns. The first parameter of the statement is JSON, a list of lists of their values. */
export function listed(kind: StoreConnection['kind'], names: readonly string[]): string {
  const columns = names.map((name, index) =>
    kind === 'sqlite' ? `json_extract(value, '$[${index}]') AS ${name}` : `value ->> ${index} AS ${name}`,
  )
  const list = kind === 'sqlite' ? 'json_each(?)' : 'json_array_elements($1::json)'
  return `(SELECT ${columns.join(', ')} FROM ${list}) AS w`
}
