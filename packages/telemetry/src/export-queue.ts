import type { OtlpSender } from './otlp-sender.ts'

/** Number of items since the start. */
export interface ItemCounts {
  sent: number
  dropped: number
}

/** Limits of a queue. */
export interface QueueLimits {
  /** Longest time until a batch is sent, in milliseconds. */
  readonly delayMs: number
  /** Maximum number of items that wait. */
  readonly maxQueue: number
  /** Maximum number of items of one batch. */
  readonly maxBatch: number
}

/** Queue of items for one receiver. Items can be lost; they are counted then. */
export interface ExportQueue<Item> {
  /** Queues items. If the queue is full, the oldest ones are dropped. */
  add(items: readonly Item[]): void
  /** Resolves when all queued items are sent or dropped. */
  flush(): Promise<void>
  /** Sends what is queued within the time of one request, and ends. */
  close(): Promise<void>
}

/** Parts of a queue. */
export interface ExportQueueParts<Item> {
  readonly sender: OtlpSender
  readonly limits: QueueLimits
  readonly counts: ItemCounts
  /** Request with these items. */
  encode(items: readonly Item[]): Buffer
}

/** Queue that sends batches one after another. */
export function createExportQueue<Item>({ sender, limits, counts, encode }: ExportQueueParts<Item>): ExportQueue<Item> {
  const { delayMs, maxQueue, maxBatch } = limits
  const queue: Item[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  const sendBatches = async (): Promise<void> => {
    while (queue.length > 0) {
      const items = queue.splice(0, maxBatch)
      const rejected = await sender.send(encode(items), items.length)
      counts.sent += items.length - rejected
      counts.dropped += rejected
    }
  }
  /** Sends batches until the queue is empty. */
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendBatches().finally(() => {
      sending = undefined
    })
    return sending
  }
  return {
    add(items) {
      if (sender.isClosed()) {
        counts.dropped += items.length
        return
      }
      for (const item of items) queue.push(item)
      const over = queue.length - maxQueue
      if (over > 0) {
        queue.splice(0, over)
        counts.dropped += over
      }
      if (sending) return
      if (queue.length >= maxBatch) void flush()
      else timer ??= setTimeout(() => void flush(), delayMs).unref()
    },
    flush,
    close: () => sender.close(flush),
  }
}
