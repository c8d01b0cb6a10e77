import { getHeapStatistics } from 'node:v8'
import { HeadgateError } from '../errors.ts'

/** The part of the heap that bodies may have: each is kept as bytes and as what they say, and written at least once more. */
const PART_OF_HEAP = 1 / 8

/** What one request holds of a {@link Room}. */
export interface Share {
  /** Takes so many bytes more; a negative number gives back. @throws HeadgateError `over-limit` when there is no room for them. */
  take(bytes: number): void
  /** Gives everything back. */
  release(): void
}

/** The memory that the bodies of all requests may have together, as long as these are served. */
export interface Room {
  share(): Share
  /** Bytes that are held. */
  readonly held: number
}

/** The room of a process in bytes where none is configured: an eighth of its heap, and enough for two bodies. */
export function roomByDefault(body: number): number {
  return Math.max(2 * body, Math.floor(getHeapStatistics().heap_size_limit * PART_OF_HEAP))
}

export function createRoom(limit: number): Room {
  let held = 0
  return {
    get held() {
      return held
    },
    share() {
      let own = 0
      return {
        take(bytes) {
          if (held + bytes > limit)
            throw new HeadgateError('over-limit', 'The gateway holds as many requests as it has memory for. Try again in a second.', {
              retryAfterMs: 1000,
            })
          held += bytes
          own += bytes
        },
        release() {
          held -= own
          own = 0
        },
      }
    },
  }
}
