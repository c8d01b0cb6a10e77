import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Argument, type Expression, parseSync, Visitor } from 'oxc-parser'
import { code, table } from './markdown.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCES = ['packages/*/src/**/*.ts', 'packages/{providers,search}/*/src/**/*.ts', 'apps/server/src/**/*.ts']

/** Function that creates an error: the kind, and the place of the message among its arguments. */
interface Creator {
  readonly kind: string | undefined
  readonly at: number
}

/** Functions of core and accounts that take a message. `HeadgateError` takes its kind first. */
const CREATORS: Readonly<Record<string, Creator>> = {
  HeadgateError: { kind: undefined, at: 1 },
  invalid: { kind: 'invalid-request', at: 1 },
}

/** Error messages of the repository by kind. `…` is a placeholder for a value. */
export function messagesTable(): string {
  const found = new Map<string, readonly [kind: string, message: string, place: string]>()
  for (const path of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).toSorted())
    for (const [kind, message] of messagesOf(readFileSync(join(ROOT, path), 'utf8'), path)) {
      const place = placeOf(path.replaceAll('\\', '/'))
      found.set(`${kind} ${message}`, [kind, message, place])
    }
  const rows = [...found.values()].toSorted((a, b) => a[0].localeCompare(b[0]) || a[1].localeCompare(b[1]))
  return table(
    ['kind', 'message', 'package'],
    rows.map(([kind, message, place]) => [code(kind), escaped(message), code(place)]),
  )
}

function placeOf(path: string): string {
  return path.slice(0, path.indexOf('/src/')).replace(/^(packages|apps)\//, '')
}

/** Markdown of a message: what reads as HTML or as a template of the site is text. */
function escaped(message: string): string {
  return message.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')
}

function messagesOf(source: string, path: string): [kind: string, message: string][] {
  const messages: [string, string][] = []
  const add = (callee: Expression, args: readonly Argument[]): void => {
    const creator = callee.type === 'Identifier' ? CREATORS[callee.name] : undefined
    const [first, message] = [args[0], creator && args[creator.at]]
    if (!creator || !message || !first) return
    const kind = creator.kind ?? (first.type === 'Literal' ? String(first.value) : 'several')
    for (const text of textsOf(message)) if (/[A-Za-z]{3}/.test(text)) messages.push([kind, text])
  }
  new Visitor({
    CallExpression: ({ callee, arguments: args }) => add(callee, args),
    NewExpression: ({ callee, arguments: args }) => add(callee, args),
  }).visit(parseSync(path, source).program)
  return messages
}

/** Messages that an expression can produce. Empty for a variable. */
function textsOf(value: Argument | Expression): string[] {
  switch (value.type) {
    case 'Literal':
      return typeof value.value === 'string' ? [value.value] : []
    case 'TemplateLiteral':
      return [value.quasis.map(({ value: { cooked, raw } }) => cooked ?? raw).join('…')]
    case 'ConditionalExpression':
      return [...textsOf(value.consequent), ...textsOf(value.alternate)]
    case 'BinaryExpression': {
      if (value.operator !== '+') return []
      const [left, right] = [textsOf(value.left), textsOf(value.right)]
      return (left.length > 0 ? left : ['…']).flatMap((one) =>
        (right.length > 0 ? right : ['…']).map((two) => one + two),
      )
    }
    default:
      return []
  }
}
