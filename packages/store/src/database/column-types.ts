import type { ColumnType } from 'kysely'

/** 64 bits: read as BigInt from either store. */
export type Int = ColumnType<bigint, bigint | number, bigint | number>
export type MaybeInt = ColumnType<bigint | null, bigint | number | null | undefined, bigint | number | null>
export type MaybeText = ColumnType<string | null, string | null | undefined, string | null>
/** JSON as text: nothing in the store looks into it. */
export type JsonText = string
export type MaybeJson = MaybeText
