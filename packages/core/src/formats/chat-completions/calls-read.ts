import { argumentsText } from '../../canonical/arguments.ts'
import type { Block } from '../../canonical/block.ts'
import { isObject, type Json, number, text } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import { readExtraContent } from './reasoning.ts'
import { generatedId } from './response-read.ts'

/** Functions that open, extend and close blocks. */
export interface Blocks {
  start(block: Block, out: Part[]): number
  delta(index: number, delta: Delta, out: Part[]): void
  end(index: number, out: Part[]): void
}

export interface CallReader {
  read(fragment: Json, out: Part[]): void
  close(out: Part[]): void
  /** True after the first call. */
  readonly any: boolean
}

interface AssembledCall {
  /** Id that the upstream sent. Later fragments may repeat it. */
  readonly id: string | undefined
  readonly ordinal: number
  readonly custom: boolean
  name: string
  /** Arguments that arrived before the name. */
  waiting: string
  /** True after the first arguments. */
  fed: boolean
  /** Index of the block. Undefined until the name is known. */
  index: number | undefined
}

/**
 * Assembles tool calls from fragments. Servers may omit the index, use one index for several calls, repeat the id in
 * each fragment, or send the name after the arguments. Calls stay open until the end, since fragments can interleave.
 */
export function readCalls(seed: string, blocks: Blocks): CallReader {
  const all: AssembledCall[] = []
  const byIndex = new Map<number, AssembledCall>()
  const byId = new Map<string, AssembledCall>()

  const find = (
    position: number | undefined,
    id: string | undefined,
    name: string | undefined,
  ): AssembledCall | undefined => {
    const known = id === undefined ? undefined : byId.get(id)
    if (known) return known
    const call =
      position === undefined ? (name === undefined && id === undefined ? all.at(-1) : undefined) : byIndex.get(position)
    if (!call || (id !== undefined && (call.id !== undefined || (name !== undefined && call.name !== ''))))
      return undefined
    const isAnother = id === undefined && call.id === undefined && name !== undefined && call.name !== '' && call.fed
    return isAnother ? undefined : call
  }

  const make = (position: number | undefined, id: string | undefined, custom: boolean): AssembledCall => {
    const call: AssembledCall = { id, ordinal: all.length, custom, name: '', waiting: '', fed: false, index: undefined }
    all.push(call)
    if (position !== undefined) byIndex.set(position, call)
    if (id !== undefined) byId.set(id, call)
    return call
  }

  const open = (call: AssembledCall, out: Part[]): number => {
    const id = call.id ?? generatedId(`${seed}.${call.ordinal}`)
    const base = { type: 'tool-call', id, name: call.name, arguments: '' } as const
    call.index = blocks.start(call.custom ? { ...base, custom: true } : base, out)
    if (call.waiting !== '') blocks.delta(call.index, { arguments: call.waiting }, out)
    call.waiting = ''
    return call.index
  }

  const feed = (call: AssembledCall, value: string, out: Part[]): void => {
    if (value === '') return
    call.fed = true
    if (call.index === undefined) call.waiting += value
    else blocks.delta(call.index, { arguments: value }, out)
  }

  return {
    read(fragment, out) {
      const custom = isObject(fragment['custom']) && !isObject(fragment['function'])
      const inner = [fragment['function'], fragment['custom']].find(isObject) ?? {}
      const name = text(inner['name']) || undefined
      const id = text(fragment['id']) || undefined
      const position = number(fragment['index'])
      const call = find(position, id, name) ?? make(position, id, custom)
      if (name !== undefined && call.name === '') call.name = name
      if (call.index === undefined && call.name !== '') open(call, out)
      feed(call, argumentsText(inner[custom ? 'input' : 'arguments']), out)
      const signature = readExtraContent(fragment)
      if (signature) blocks.delta(call.index ?? open(call, out), { signature }, out)
    },
    close(out) {
      for (const call of all) {
        blocks.end(call.index ?? open(call, out), out)
      }
    },
    get any() {
      return all.length > 0
    },
  }
}
