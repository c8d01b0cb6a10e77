import type { Part } from './part.ts'

/** Block that is open or waiting. */
interface QueuedBlock {
  /** Index in the output. */
  readonly index: number
  /** Parts that wait for earlier blocks to close. */
  readonly waiting: Part[]
  closed: boolean
}

/**
 * Orders the parts of the first choice for formats with strictly sequential blocks: the first open block streams, and
 * parts of later blocks wait. Indices start at 0 without gaps. Parts of other choices, and deltas or ends of blocks
 * that are not open, are left out. A `finish` or `error` first emits all waiting parts and closes open blocks.
 */
export function sequential(): (part: Part) => Part[] {
  const queue: QueuedBlock[] = []
  const byIndex = new Map<number, QueuedBlock>()
  let count = 0

  const open = (part: Part & { type: 'block-start' }): Part[] => {
    const left = byIndex.get(part.index)
    const out = left ? end(left, part.index) : []
    const block: QueuedBlock = { index: count, waiting: [], closed: false }
    count += 1
    queue.push(block)
    byIndex.set(part.index, block)
    for (const ready of emit(block, { type: 'block-start', index: block.index, block: part.block })) out.push(ready)
    return out
  }

  const emit = (block: QueuedBlock, part: Part): Part[] => {
    if (queue[0] === block) return [part]
    block.waiting.push(part)
    return []
  }

  const end = (block: QueuedBlock, index: number): Part[] => {
    byIndex.delete(index)
    block.closed = true
    const out = emit(block, { type: 'block-end', index: block.index })
    while (queue[0]?.closed) {
      queue.shift()
      const next = queue[0]
      for (const ready of next?.waiting.splice(0) ?? []) out.push(ready)
    }
    return out
  }

  const endAll = (): Part[] => [...byIndex].flatMap(([index, block]) => end(block, index))

  return (part) => {
    if ('choice' in part && (part.choice ?? 0) !== 0) return []
    switch (part.type) {
      case 'block-start':
        return open(part)
      case 'block-delta': {
        const block = byIndex.get(part.index)
        if (!block) return []
        return emit(
          block,
          block.index === part.index ? part : { type: 'block-delta', index: block.index, delta: part.delta },
        )
      }
      case 'block-end': {
        const block = byIndex.get(part.index)
        return block ? end(block, part.index) : []
      }
      case 'finish':
      case 'error':
        return [...endAll(), part]
      default:
        return [part]
    }
  }
}
