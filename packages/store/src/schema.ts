/** Declarations of tables, for packages that add tables to the store. */
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
