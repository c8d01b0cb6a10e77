import type { Block } from './block.ts'
import type { Restore } from './format.ts'
import { isObject, parse } from './json.ts'
import type { Part } from './part.ts'
import { filterWhole, heldWhole, type PieceFilter, unwrapping, withoutBeginning } from './pieces.ts'
import type { ChatResponse } from './response.ts'

/** Free text of a custom tool that was sent as a function `{ input: string }`. */
function customInput(args: string): string {
  const value = parse(args)
  return isObject(value) && typeof value['input'] === 'string' ? value['input'] : args
}

/** Filter for the text or the arguments of a block. Undefined: unchanged. */
function filterOf(block: Block, restore: Restore, isFirstText: boolean): PieceFilter | undefined {
  if (block.type === 'text') {
    if (restore.wrapsOutput) return unwrapping()
    return isFirstText && restore.prefix ? withoutBeginning(restore.prefix) : undefined
  }
  if (block.type !== 'tool-call') return undefined
  if (restore.custom?.has(block.name)) return heldWhole(customInput)
  return restore.wrapped?.has(block.name) ? unwrapping() : undefined
}

/** Call with its original name and type. The output tool's call becomes text. */
function restoreKind(block: Block, restore: Restore): Block {
  if (block.type !== 'tool-call') return block
  if (block.name === restore.outputTool) {
    return { type: 'text', text: block.arguments, ...(block.at !== undefined && { at: block.at }) }
  }
  const name = restore.names?.get(block.name) ?? block.name
  if (restore.custom?.has(name)) return { ...block, name, custom: true }
  return name === block.name ? block : { ...block, name }
}

function restoreBlock(block: Block, restore: Restore, isFirstText: boolean): Block {
  const restored = restoreKind(block, restore)
  const filter = filterOf(restored, restore, isFirstText)
  if (!filter) return restored
  if (restored.type === 'text') return { ...restored, text: filterWhole(filter, restored.text) }
  return restored.type === 'tool-call' ? { ...restored, arguments: filterWhole(filter, restored.arguments) } : restored
}

/** Restores a whole response to the tools and output of the caller's request. */
export function restoreResponse(response: ChatResponse, restore: Restore | undefined): ChatResponse {
  if (!restore) return response
  const choices = response.choices.map((choice) => {
    const first = choice.blocks.find((block) => block.type === 'text')
    const blocks = choice.blocks.map((block) => restoreBlock(block, restore, block === first))
    const calls = blocks.some((block) => block.type === 'tool-call')
    const finish =
      choice.finish.reason === 'tool-calls' && !calls ? { ...choice.finish, reason: 'stop' as const } : choice.finish
    return { ...choice, blocks, finish }
  })
  return { ...response, choices }
}

/** Block of a stream with a filter. */
interface Filtered {
  readonly field: 'text' | 'arguments'
  readonly filter: PieceFilter
}

/** Restores a stream. Output that a filter holds back follows with a later piece, or before the end of its block. */
export function restoreParts(restore: Restore | undefined): (part: Part) => Part[] {
  if (!restore) return (part) => [part]
  const outputs = new Set<string>()
  const filtered = new Map<string, Filtered>()
  const spoken = new Set<number>()
  let calls = false

  const start = (part: Part & { type: 'block-start' }, key: string): Part[] => {
    const choice = part.choice ?? 0
    if (part.block.type === 'tool-call' && part.block.name === restore.outputTool) outputs.add(key)
    else calls ||= part.block.type === 'tool-call'
    const block = restoreKind(part.block, restore)
    const filter = filterOf(block, restore, !spoken.has(choice))
    if (block.type === 'text') spoken.add(choice)
    if (!filter) return [{ ...part, block }]
    if (block.type === 'text') {
      filtered.set(key, { field: 'text', filter })
      return [{ ...part, block: { ...block, text: filter.push(block.text) } }]
    }
    if (block.type !== 'tool-call') return [{ ...part, block }]
    filtered.set(key, { field: 'arguments', filter })
    return [{ ...part, block: { ...block, arguments: filter.push(block.arguments) } }]
  }
  const add = (part: Part & { type: 'block-delta' }, key: string): Part[] => {
    const { delta } = part
    const said = outputs.has(key) && delta.arguments !== undefined ? { text: delta.arguments } : delta
    const { field, filter } = filtered.get(key) ?? {}
    const piece = field && said[field]
    if (!field || piece === undefined || !filter) return said === delta ? [part] : [{ ...part, delta: said }]
    const text = filter.push(piece)
    if (text === '' && Object.keys(said).length === 1) return []
    return [{ ...part, delta: { ...said, [field]: text } }]
  }
  const stop = (part: Part & { type: 'block-end' }, key: string): Part[] => {
    const { field, filter } = filtered.get(key) ?? {}
    filtered.delete(key)
    const text = filter?.end() ?? ''
    return field && text !== '' ? [{ ...part, type: 'block-delta', delta: { [field]: text } }, part] : [part]
  }
  return (part) => {
    if (part.type === 'finish') {
      const hasOnlyOutput = part.finish.reason === 'tool-calls' && !calls
      return [hasOnlyOutput ? { ...part, finish: { ...part.finish, reason: 'stop' } } : part]
    }
    if (part.type !== 'block-start' && part.type !== 'block-delta' && part.type !== 'block-end') return [part]
    const key = `${part.choice ?? 0}/${part.index}`
    if (part.type === 'block-start') return start(part, key)
    return part.type === 'block-delta' ? add(part, key) : stop(part, key)
  }
}
