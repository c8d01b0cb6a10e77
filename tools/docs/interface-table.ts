import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { code, table } from './markdown.ts'

const PACKAGES = resolve(import.meta.dirname, '../../packages')

/** Member of an interface, with its comment. */
const MEMBER = /(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}(?:readonly )?(\w+)(\??)([:(].*)$/gm

/**
 * Members of an interface, except `leftOut`, with their comments or, without a comment, their types. Members of a parent
 * interface come first, if it is in the same file or folder.
 */
export function interfaceTable(file: string, name: string, leftOut: readonly string[] = []): string {
  const rows = membersOf(file, name)
    .filter(([, , member = '']) => !leftOut.includes(member))
    .map(([, comment, member = '', optional, type = '']) => [
      code(member) + (optional ? '' : ' (required)'),
      comment === undefined ? code(type.replace(/^: /, '').replace(/ (?:& \{|\| undefined)$/, '')) : textOf(comment),
    ])
  return table(['member', 'meaning'], rows)
}

function membersOf(file: string, name: string): RegExpExecArray[] {
  const source = readFileSync(resolve(PACKAGES, file), 'utf8')
  const [, parent, body] =
    new RegExp(`^export interface ${name}\\b(?: extends (\\w+) \\{$)?.*?\\{?\\n(.*?)^\\}`, 'ms').exec(source) ?? []
  if (body === undefined) throw new Error(`${file} exports no interface ${name}.`)
  const beside = new RegExp(`^import \\{[^}]*\\b${parent}\\b[^}]*\\} from '\\./(.*)'$`, 'm').exec(source)?.[1]
  const inherited =
    parent === undefined ? [] : membersOf(beside === undefined ? file : join(dirname(file), beside), parent)
  return [...inherited, ...body.matchAll(MEMBER)]
}

function textOf(comment: string): string {
  return comment
    .replace(/^\s*\*/gm, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
}
