import type { Block, Finish, FoundPage, Part, ToolCallBlock, Usage } from '@headgate/core/canonical'
import { assemble } from '@headgate/core/canonical'
import { citationsIn } from './citing.ts'

/** What a call of the model has come to. */
export interface Turn {
  readonly blocks: Block[]
  /** Its searches. */
  readonly searches: readonly ToolCallBlock[]
  /** Whether it calls tools of the caller as well. */
  readonly callsOthers: boolean
  readonly finish: Finish | undefined
}

/**
 * Joins the answers of several calls of a model to the one that the caller gets: without the calls of its search, and
 * with citations of what was found.
 */
export interface Transcript {
  /** What the caller gets of parts of the model. */
  parts(parts: readonly Part[]): Part[]
  /** Ends what one call of the model has said. */
  turn(): Turn
  /** What the caller gets of a search; undefined = it has failed. */
  searched(id: string, query: string, found: readonly FoundPage[] | undefined): Part[]
  /** The last parts. `finish`: instead of the model's own. */
  end(usage: Usage | undefined, finish?: Finish): Part[]
  /** All pages that were found, in the order of their numbers. */
  readonly pages: readonly FoundPage[]
}

type OfBlock = Extract<Part, { type: 'block-start' | 'block-delta' | 'block-end' }>

export function createTranscript(name: string): Transcript {
  const pages: FoundPage[] = []
  let next = 0
  let begun = false
  let said: Part[] = []
  let rest: Extract<Part, { type: 'rest' }> | undefined
  let last: Extract<Part, { type: 'finish' }> | undefined
  /** Of the blocks of this turn, their index in the answer, where they are in it, and their text. */
  const open = new Map<number, { readonly index: number | undefined; text: string | undefined }>()

  const ofBlock = (part: OfBlock): Part[] => {
    said.push(part)
    if (part.type === 'block-start') {
      const { block } = part
      const isSearch = block.type === 'tool-call' && block.name === name
      open.set(part.index, {
        index: isSearch ? undefined : next++,
        text: block.type === 'text' ? block.text : undefined,
      })
    }
    const entry = open.get(part.index)
    if (entry?.index === undefined) return []
    const { index } = entry
    if (part.type === 'block-delta' && entry.text !== undefined) entry.text += part.delta.text ?? ''
    const citations = part.type === 'block-end' && entry.text !== undefined ? citationsIn(entry.text, pages) : []
    if (part.type === 'block-end') open.delete(part.index)
    return citations.length === 0
      ? [{ ...part, index }]
      : [
          { type: 'block-delta', index, delta: { citations } },
          { ...part, index },
        ]
  }

  const one = (part: Part): Part[] => {
    switch (part.type) {
      case 'start':
        if (begun) return []
        begun = true
        return [part]
      case 'block-start':
      case 'block-delta':
      case 'block-end':
        return ofBlock(part)
      case 'rest':
        rest = part
        return []
      case 'finish':
        last = part
        said.push(part)
        return []
      case 'usage':
        return []
      default:
        return [part]
    }
  }

  return {
    pages,
    parts: (parts) => parts.flatMap(one),
    turn() {
      const blocks = assemble(said).choices[0]?.blocks ?? []
      const finish = last?.finish
      said = []
      open.clear()
      const calls = blocks.filter((block) => block.type === 'tool-call')
      const searches = calls.filter((call) => call.name === name)
      return { blocks, searches, callsOthers: calls.length > searches.length, finish }
    },
    searched(id, query, found) {
      pages.push(...(found ?? []))
      const call = next++
      const result = next++
      const named = { id, name: 'web-search', gateway: true, ...(found && { found }) } as const
      return [
        {
          type: 'block-start',
          index: call,
          block: { type: 'hosted-call', ...named, arguments: JSON.stringify({ query }) },
        },
        { type: 'block-end', index: call },
        { type: 'block-start', index: result, block: { type: 'hosted-result', ...named } },
        { type: 'block-end', index: result },
      ]
    },
    end(usage, finish = last?.finish ?? { reason: 'stop' }) {
      const side = finish === last?.finish ? last.side : undefined
      return [
        ...(usage ? [{ type: 'usage', usage } as const] : []),
        ...(rest ? [rest] : []),
        { type: 'finish', finish, ...(side && { side }) },
      ]
    },
  }
}
