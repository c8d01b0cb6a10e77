import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { SealedWords } from './batch.ts'

/** Encrypted messages of a request; undefined without messages, or after they were deleted. */
export async function sealedWords(
  { db }: StoreConnection,
  requestId: string,
  now = Date.now(),
): Promise<SealedWords | undefined> {
  const row = await db
    .selectFrom('request_words')
    .selectAll()
    .where('request_id', '=', storable(requestId))
    .where('ends_at', '>', BigInt(now))
    .executeTakeFirst()
  if (!row) return undefined
  const { request_id, key_id: key, at, ends_at, sealed } = row
  return { requestId: request_id, key, at: Number(at), endsAt: Number(ends_at), sealed }
}
