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

/** The state of a transcript. */
interface Joining {
  /** Name of the search tool. */
  readonly name: string
  readonly pages: FoundPage[]
  /** Index of the next block of the answer. */
  next: number
  begun: boolean
  said: Part[]
  rest: Extract<Part, { type: 'rest' }> | undefined
  last: Extract<Part, { type: 'finish' }> | undefined
  /** Of the blocks of this turn, their index in the answer, where they are in it, and their text. */
  readonly open: Map<number, { readonly index: number | undefined; text: string | undefined }>
}

/** What the caller gets of a part of a block. */
function ofBlock(joining: Joining, part: OfBlock): Part[] {
  const { said, open, name, pages } = joining
  said.push(part)
  if (part.type === 'block-start') {
    const { block } = part
    const isSearch = block.type === 'tool-call' && block.name === name
    const index = isSearch ? undefined : joining.next++
    open.set(part.index, { index, text: block.type === 'text' ? block.text : undefined })
  }
  const entry = open.get(part.index)
  if (entry?.index === undefined) return []
  const { index } = entry
  if (part.type === 'block-delta' && entry.text !== undefined) entry.text += part.delta.text ?? ''
  const citations = part.type === 'block-end' && entry.text !== undefined ? citationsIn(entry.text, pages) : []
  if (part.type === 'block-end') open.delete(part.index)
  const own = { ...part, index }
  return citations.length === 0 ? [own] : [{ type: 'block-delta', index, delta: { citations } }, own]
}

/** What the caller gets of a part. */
function ofPart(joining: Joining, part: Part): Part[] {
  switch (part.type) {
    case 'start':
      if (joining.begun) return []
      joining.begun = true
      return [part]
    case 'block-start':
    case 'block-delta':
    case 'block-end':
      return ofBlock(joining, part)
    case 'rest':
      joining.rest = part
      return []
    case 'finish':
      joining.last = part
      joining.said.push(part)
      return []
    case 'usage':
      return []
    default:
      return [part]
  }
}

/** The parts of a search that was made. */
function searchParts(joining: Joining, id: string, query: string, found: readonly FoundPage[] | undefined): Part[] {
  joining.pages.push(...(found ?? []))
  const call = joining.next++
  const result = joining.next++
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
}

/** `name`: that of the search tool. */
export function createTranscript(name: string): Transcript {
  const joining: Joining = {
    name,
    pages: [],
    next: 0,
    begun: false,
    said: [],
    rest: undefined,
    last: undefined,
    open: new Map(),
  }
  return {
    pages: joining.pages,
    parts: (parts) => parts.flatMap((part) => ofPart(joining, part)),
    turn() {
      const blocks = assemble(joining.said).choices[0]?.blocks ?? []
      const finish = joining.last?.finish
      joining.said = []
      joining.open.clear()
      const calls = blocks.filter((block) => block.type === 'tool-call')
      const searches = calls.filter((call) => call.name === name)
      return { blocks, searches, callsOthers: calls.length > searches.length, finish }
    },
    searched: (id, query, found) => searchParts(joining, id, query, found),
    end(usage, finish = joining.last?.finish ?? { reason: 'stop' }) {
      const { last, rest } = joining
      const side = finish === last?.finish ? last.side : undefined
      return [
        ...(usage ? [{ type: 'usage', usage } as const] : []),
        ...(rest ? [rest] : []),
        { type: 'finish', finish, ...(side && { side }) },
      ]
    },
  }
}
