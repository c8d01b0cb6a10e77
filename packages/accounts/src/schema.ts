/** Tables of this package, for backups of the store. */
export { ACCOUNTS } from './schema/tables.ts'
