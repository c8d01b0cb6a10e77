import { readObjects, requiredWord, wrong } from '../../canonical/fields.ts'
import type { Json } from '../../canonical/json.ts'
import type { Message } from '../../canonical/request.ts'
import { misplaced } from '../../canonical/tools.ts'
import { extensionsOf, unknownFields } from '../../canonical/vendor-extensions.ts'
import { readContent, readSystem } from './blocks-read.ts'
import { ID } from './wire.ts'

/** Reads the turns, with the system prompt first. */
export function readTurns(body: Json): Message[] {
  const list = body['messages']
  if (!Array.isArray(list)) throw wrong('messages', 'a list of messages', list)
  const turns = readObjects(list, 'messages', readTurn)
  if (body['system'] === undefined || body['system'] === null) return turns
  const blocks = readSystem(body['system'], 'system')
  return blocks.length > 0 ? [{ role: 'system', at: 'system', blocks }, ...turns] : turns
}

const FIELDS: ReadonlySet<string> = new Set(['role', 'content'])

function readTurn(item: Json, at: string): Message {
  const role = requiredWord(item, 'role', at, ['user', 'assistant', 'system'])
  const path = `${at}.content`
  const blocks = role === 'system' ? readSystem(item['content'], path) : readContent(item['content'], path)
  for (const block of blocks) {
    const owner =
      block.type === 'tool-result'
        ? 'user'
        : block.type === 'tool-call' || block.type === 'reasoning'
          ? 'assistant'
          : role
    if (owner !== role) throw misplaced(block, `a ${role} message`)
  }
  const extensions = extensionsOf(ID, unknownFields(item, FIELDS))
  return { role, at, blocks, ...(extensions && { extensions }) }
}
