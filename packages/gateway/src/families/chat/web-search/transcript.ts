import type { Block, Finish, FoundPage, MediaBlock, Part, ToolCallBlock, Usage } from '@headgate/core/canonical'
import { assemble } from '@headgate/core/canonical'
import { citationsIn } from './citations.ts'

/** Result of one model call. */
export interface ModelTurn {
  readonly blocks: Block[]
  /** Calls of the gateway's tools. */
  readonly calls: readonly ToolCallBlock[]
  /** True if it also calls tools of the caller. */
  readonly callsOthers: boolean
  readonly finish: Finish | undefined
}

/**
 * Joins the output of several model calls into one response for the caller, without calls of the gateway's tools, with
 * their images and with citations of search results.
 */
export interface SearchTranscript {
  /** Converts parts of the model for the caller. */
  parts(parts: readonly Part[]): Part[]
  /** Ends the turn of one model call. */
  turn(): ModelTurn
  /** Parts of a search for the caller; undefined `found` = the search failed. */
  searched(id: string, query: string, found: readonly FoundPage[] | undefined): Part[]
  /** Parts of an image for the caller. */
  drew(image: MediaBlock): Part[]
  /** The last parts. `finish` replaces the model's finish reason. */
  end(usage: Usage | undefined, finish?: Finish): Part[]
  /** All pages of all searches, in the order of their numbers. */
  readonly pages: readonly FoundPage[]
}

type OfBlock = Extract<Part, { type: 'block-start' | 'block-delta' | 'block-end' }>

/** State of a transcript. */
interface TranscriptState {
  /** Names of the gateway's tools. */
  readonly names: ReadonlySet<string>
  readonly pages: FoundPage[]
  /** Index of the response's next block. */
  next: number
  begun: boolean
  said: Part[]
  rest: Extract<Part, { type: 'rest' }> | undefined
  last: Extract<Part, { type: 'finish' }> | undefined
  /** Open blocks of this turn by index: their index in the response, if they are part of it, and their text. */
  readonly open: Map<number, { readonly index: number | undefined; text: string | undefined }>
}

/** Converts a block's part for the caller. */
function ofBlock(joining: TranscriptState, part: OfBlock): Part[] {
  const { said, open, names, pages } = joining
  said.push(part)
  if (part.type === 'block-start') {
    const { block } = part
    const isOwn = block.type === 'tool-call' && names.has(block.name)
    const index = isOwn ? undefined : joining.next++
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

/** Converts a part for the caller. */
function ofPart(joining: TranscriptState, part: Part): Part[] {
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

/** Parts of a finished search. */
function searchParts(
  joining: TranscriptState,
  id: string,
  query: string,
  found: readonly FoundPage[] | undefined,
): Part[] {
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

/** `names` are the names of the gateway's tools. */
export function createTranscript(names: ReadonlySet<string>): SearchTranscript {
  const joining: TranscriptState = {
    names,
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
      const own = calls.filter((call) => names.has(call.name))
      return { blocks, calls: own, callsOthers: calls.length > own.length, finish }
    },
    searched: (id, query, found) => searchParts(joining, id, query, found),
    drew(block) {
      const index = joining.next++
      return [
        { type: 'block-start', index, block },
        { type: 'block-end', index },
      ]
    },
    end(usage, finish = joining.last?.finish ?? { reason: 'stop' }) {
      const { last, rest } = joining
      const extensions = finish === last?.finish ? last.extensions : undefined
      return [
        ...(usage ? [{ type: 'usage', usage } as const] : []),
        ...(rest ? [rest] : []),
        { type: 'finish', finish, ...(extensions && { extensions }) },
      ]
    },
  }
}
