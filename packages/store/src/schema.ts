/** The language in which packages declare their tables. */
export {
  bytes,
  int,
  json,
  maybe,
  type RowsOf,
  type Schema,
  table,
  text,
  textOf,
  type Upgrade,
} from './schema/declare.ts'
