/** Declarations of tables, for packages that add tables to the store. */
export {
  bytes,
  type Column,
  type ContractUpgrade,
  type ExpandUpgrade,
  int,
  json,
  maybe,
  type RowsOf,
  type SchemaUpgrade,
  type StoreSchema,
  type TableOf,
  table,
  text,
  textOf,
} from './schema/declare.ts'
