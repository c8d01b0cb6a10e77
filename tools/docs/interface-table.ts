import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { code, table } from './markdown.ts'

const CORE = resolve(import.meta.dirname, '../../packages/core/src')

/** A member of an interface, with the comment above it. */
const MEMBER = /(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}(?:readonly )?(\w+)(\??)([:(].*)$/gm

/** The members of an interface of core but those left out, with what their comments say; of one without a comment the type. */
export function interfaceTable(file: string, name: string, leftOut: readonly string[] = []): string {
  const source = readFileSync(resolve(CORE, file), 'utf8')
  const body = new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms').exec(source)?.[1]
  if (body === undefined) throw new Error(`${file} exports no interface ${name}.`)
  const members = [...body.matchAll(MEMBER)].filter(([, , member = '']) => !leftOut.includes(member))
  const rows = members.map(([, comment, member = '', optional, type = '']) => [
    code(member) + (optional ? '' : ' (required)'),
    comment === undefined ? code(type.replace(/^: /, '').replace(/ (?:& \{|\| undefined)$/, '')) : textOf(comment),
  ])
  return table(['member', 'meaning'], rows)
}

function textOf(comment: string): string {
  return comment
    .replace(/^\s*\*/gm, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
}
