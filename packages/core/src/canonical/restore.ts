import type { Block } from './block.ts'
import type { Restore } from './format.ts'
import { isObject, parse } from './json.ts'
import type { Part } from './part.ts'
import type { ChatResponse } from './response.ts'

/** The free text of a custom tool's call that was made as a function `{ input: string }`. */
function customInput(args: string): string {
  const value = parse(args)
  return isObject(value) && typeof value['input'] === 'string' ? value['input'] : args
}

function restoreBlock(block: Block, restore: Restore): Block {
  if (block.type !== 'tool-call') return block
  if (block.name === restore.outputTool) {
    return { type: 'text', text: block.arguments, ...(block.at !== undefined && { at: block.at }) }
  }
  const name = restore.names?.get(block.name) ?? block.name
  if (!restore.custom?.has(name)) return name === block.name ? block : { ...block, name }
  return { ...block, name, custom: true, arguments: customInput(block.arguments) }
}

/** Bends a whole answer back to what the caller's request said before it was bent to fit. */
export function restoreResponse(response: ChatResponse, restore: Restore | undefined): ChatResponse {
  if (!restore) return response
  const choices = response.choices.map((choice) => {
    const blocks = choice.blocks.map((block) => restoreBlock(block, restore))
    const calls = blocks.some((block) => block.type === 'tool-call')
    const finish = choice.finish.reason === 'tool-calls' && !calls ? { ...choice.finish, reason: 'stop' as const } : choice.finish
    return { ...choice, blocks, finish }
  })
  return { ...response, choices }
}

/** The same for a stream. The input of a custom tool is held back until its call is whole. */
export function restoreParts(restore: Restore | undefined): (part: Part) => Part[] {
  if (!restore) return (part) => [part]
  const outputs = new Set<string>()
  const customs = new Map<string, string>()
  let calls = false
  return (part) => {
    if (part.type === 'finish') {
      const bent = part.finish.reason === 'tool-calls' && !calls
      return [bent ? { ...part, finish: { ...part.finish, reason: 'stop' } } : part]
    }
    if (part.type !== 'block-start' && part.type !== 'block-delta' && part.type !== 'block-end') return [part]
    if (part.type === 'block-delta' && part.delta.arguments === undefined) return [part]
    const key = `${part.choice ?? 0}/${part.index}`
    if (part.type === 'block-start') {
      if (part.block.type !== 'tool-call') return [part]
      if (part.block.name === restore.outputTool) outputs.add(key)
      else calls = true
      const block = restoreBlock(part.block, restore)
      if (block.type === 'tool-call' && block.custom) {
        customs.set(key, part.block.arguments)
        return [{ ...part, block: { ...block, arguments: '' } }]
      }
      return [{ ...part, block }]
    }
    const held = customs.get(key)
    if (part.type === 'block-delta') {
      const text = part.delta.arguments ?? ''
      if (outputs.has(key)) return [{ ...part, delta: { text } }]
      if (held === undefined) return [part]
      customs.set(key, held + text)
      return []
    }
    if (held === undefined) return [part]
    customs.delete(key)
    return [{ ...part, type: 'block-delta', delta: { arguments: customInput(held) } }, part]
  }
}
