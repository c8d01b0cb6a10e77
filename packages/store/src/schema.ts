/** Declarations of tables, for packages that add tables to the store. */
export {
  bytes,
  type Column,
  int,
  json,
  maybe,
  type RowsOf,
  type StoreSchema,
  type TableOf,
  table,
  text,
  textOf,
  type Upgrade,
} from './schema/declare.ts'
