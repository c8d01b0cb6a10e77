import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Block } from '../../src/canonical/block.ts'
import { parse } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import type { ChatRequest, Message, RequestField, Tool } from '../../src/canonical/request.ts'
import { FIELDS, requests } from './conversations.ts'
import { isSame } from './same.ts'
import { DIRECTIONS } from './targets.ts'

/** What only one block of a conversation has. */
function markOf(block: Block): string {
  if (block.type === 'tool-call' || block.type === 'tool-result') return `${block.type} ${block.id}`
  if (block.type === 'media') return `media ${JSON.stringify(block.source)}`
  return `${block.type} ${/^m\d+ /.exec('text' in block ? (block.text ?? '') : '')?.[0]}`
}

/** Where it stands and what it is for are not what a block says. */
const UNSAID: ReadonlySet<string> = new Set(['at', 'extensions', 'type', 'id', 'source'])

function factsOf(block: Block): [string, unknown][] {
  const said = Object.entries(block).filter(
    ([key, value]) => !UNSAID.has(key) && value !== undefined && value !== false,
  )
  // A result is named by its call where the format names it at all.
  return block.type === 'tool-result' ? said.filter(([key]) => key !== 'name') : said
}

/** The words of losses for what the canonical model calls otherwise. */
const WORDS: Readonly<Record<string, string>> = { cache: 'cache_control', error: 'is_error' }

/** Whether a loss says it of the node, of what the node is part of, or of this field of it. */
function isDeclared(losses: readonly Loss[], at: string, key?: string): boolean {
  const path = key === undefined ? at : `${at}.${WORDS[key] ?? key}`
  return losses.some((loss) => loss.path === path || path.startsWith(`${loss.path}.`))
}

const flat = (blocks: readonly Block[]): string => blocks.map((block) => ('text' in block ? block.text : '')).join('\n')

/** Whether a block says what it said, in one of the ways in which formats write one thing. */
function isSaid(key: string, value: unknown, given: Block, message: Message, back: ChatRequest): boolean {
  const other = message.blocks.find((block) => markOf(block) === markOf(given))
  const found = other && (other as unknown as Record<string, unknown>)[key]
  if (isSame(value, found)) return true
  // Neighboring texts of an answer are one text where the format has one, and a failed result may say so in its text.
  if (key === 'text' && given.type === 'text')
    return message.blocks.some((block) => block.type === 'text' && block.text.includes(given.text))
  if (key === 'blocks') return Array.isArray(found) && flat(found as Block[]).endsWith(flat(value as Block[]))
  if (key === 'arguments') return isSame(parse(String(value)), parse(String(found)))
  // The signature of reasoning before a call goes with the call where calls are signed.
  return key === 'signature' && JSON.stringify(back.messages).includes(JSON.stringify(value))
}

function lostInMessages(given: ChatRequest, back: ChatRequest, losses: readonly Loss[]): string[] {
  const out: string[] = []
  for (const { role, blocks } of given.messages) {
    for (const block of blocks) {
      const inRole = back.messages.filter((message) => message.role === role)
      const holds = (key: string, value: unknown): boolean =>
        inRole.some((message) => isSaid(key, value, block, message, back))
      const isThere =
        inRole.some((message) => message.blocks.some((other) => markOf(other) === markOf(block))) ||
        ('text' in block && holds('text', block.text))
      const at = block.at ?? ''
      if (!isThere && !isDeclared(losses, at)) out.push(`${markOf(block)} is gone`)
      if (!isThere) continue
      for (const [key, value] of factsOf(block))
        if (!holds(key, value) && !isDeclared(losses, at, key)) out.push(`${markOf(block)}.${key}`)
    }
  }
  return out
}

/** What a vendor does without the field as well, or another way to say it. */
function isMeant(field: RequestField, given: ChatRequest, back: ChatRequest): boolean {
  switch (field) {
    case 'temperature':
    case 'topP':
      return given[field] === 1
    case 'serviceTier':
      return given.serviceTier === 'auto'
    case 'parallelTools':
      return given.parallelTools === true || !given.tools || given.toolChoice?.type === 'none'
    case 'toolChoice':
      return given.toolChoice?.type === 'tool' && back.toolChoice?.type === 'tool'
    case 'output':
      return given.output?.type === back.output?.type && isSame(schemaOf(given), schemaOf(back))
    case 'reasoning':
      return isOff(given) ? isOff(back) : !isOff(back) || isLeftToTheModel(given)
    default:
      return false
  }
}

const schemaOf = ({ output }: ChatRequest): unknown => (output?.type === 'schema' ? output.schema : undefined)
const isOff = ({ reasoning }: ChatRequest): boolean =>
  reasoning === undefined || reasoning.effort === 'none' || reasoning.budget === 0
const isLeftToTheModel = ({ reasoning }: ChatRequest): boolean =>
  reasoning?.adaptive === true || reasoning?.budget === -1

function lostInFields(given: ChatRequest, back: ChatRequest, losses: readonly Loss[]): string[] {
  const kept = (field: RequestField): boolean =>
    isSame(given[field], back[field]) || isMeant(field, given, back) || isDeclared(losses, field)
  return FIELDS.filter((field) => field !== 'tools' && given[field] !== undefined && !kept(field))
}

/** Gemini holds all calls to their schemas, or none. */
const isStrictElsewhere = (body: unknown): boolean => /"mode":"(?:VALIDATED|ANY|NONE)"/.test(JSON.stringify(body))

function lostInTools(given: ChatRequest, back: ChatRequest, losses: readonly Loss[], body: unknown): string[] {
  return (given.tools ?? []).flatMap((tool, index) => {
    const other = (back.tools?.[index] ?? {}) as Partial<Record<keyof Tool, unknown>>
    const said = Object.entries(tool).filter(([key]) => key !== 'at' && !(key === 'strict' && isStrictElsewhere(body)))
    return said
      .filter(([key, value]) => !isSame(value, other[key as keyof Tool]) && !isDeclared(losses, tool.at ?? '', key))
      .map(([key]) => `${tool.at}.${key}`)
  })
}

describe('A request that is written and read again', () => {
  it.each(DIRECTIONS)('is the same but for declared losses: $format.id for $target.model', ({ format, target }) => {
    fc.assert(
      fc.property(requests, (request) => {
        const losses: Loss[] = []
        const { body } = format.writeRequest(request, target, losses)
        const back = format.readRequest(JSON.parse(JSON.stringify(body)), { model: 'm', stream: request.stream })
        const lost = [
          ...lostInMessages(request, back, losses),
          ...lostInFields(request, back, losses),
          ...lostInTools(request, back, losses, body),
        ]
        expect(lost).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it.each(DIRECTIONS)('keeps its turns in their order: $format.id for $target.model', ({ format, target }) => {
    fc.assert(
      fc.property(requests, (request) => {
        const { body } = format.writeRequest(request, target, [])
        const back = format.readRequest(JSON.parse(JSON.stringify(body)), { model: 'm' })
        const marks = (messages: readonly Message[]): string[] =>
          JSON.stringify(messages.map(({ blocks }) => blocks)).match(/"(?:m|call_m)\d+ ?/g) ?? []
        const before = [...new Set(marks(request.messages))]
        const after = new Set(marks(back.messages))
        expect([...after]).toEqual(before.filter((mark) => after.has(mark)))
      }),
      { numRuns: 50 },
    )
  })
})
