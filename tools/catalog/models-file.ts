import { CORRECTIONS } from './corrections.ts'
import { factsOf, isText } from './facts.ts'
import type { Listing } from './models-dev.ts'

/** What a generated file says of itself: whose models of models.dev it has. */
const HEAD =
  /Models of `([\w.-]+)` at https:\/\/models\.dev \(MIT License\), (\d{4}-\d\d-\d\d)\. Written by `pnpm catalog`, not by hand\./

/** The id at models.dev of the provider whose models a file has; undefined where it was not written by the tool. */
export function listedAs(text: string): string | undefined {
  return HEAD.exec(text)?.[1]
}

/** Whether the tool wrote a file of models: then it may be as long as it is. */
export function isGenerated({
  path,
  comments,
}: {
  readonly path: string
  readonly comments: readonly { readonly value: string }[]
}): boolean {
  return path.endsWith('/src/models.ts') && comments.some(({ value }) => HEAD.test(value))
}

/**
 * The text of the `src/models.ts` of a package: its chat and embedding models, one line each. `listed` is its id at
 * models.dev.
 */
export function modelsFile(provider: string, listed: string, { models }: Listing, date: string): string {
  const correction = CORRECTIONS[provider] ?? {}
  const served = Object.entries(models).filter(([id, model]) => isText(id, model))
  const lines = served
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, model]) => `  ${literal(factsOf(id, model, correction))},`)
  return framed(listed, date, lines)
}

function framed(listed: string, date: string, lines: readonly string[]): string {
  const source = lines.some((line) => line.includes('id: source')) ? `const source = 'models.dev@${date}'\n\n` : ''
  return `// Models of \`${listed}\` at https://models.dev (MIT License), ${date}. Written by \`pnpm catalog\`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

${source}// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
${lines.join('\n')}
]
`
}

/** What of a file that the tool wrote was changed by hand; undefined where nothing was. */
export function tamperedWith(text: string): string | undefined {
  const [, listed = '', date = ''] = HEAD.exec(text) ?? []
  const lines = text.match(/^ {2}\{.*\},$/gm) ?? []
  if (date === '' || text !== framed(listed, date, lines)) return 'is not what `pnpm catalog` writes'
  const ids = lines.map((line) => /id: '((?:[^'\\]|\\.)+)'/.exec(line)?.[1] ?? '')
  const place = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))
  if (place > 0) return `has '${ids[place]}' out of order, or twice`
  const broken = /: -|\d\.\d+[ ,]/.exec(
    lines.map((line) => line.replace(/'(?:[^'\\]|\\.)*'|factor: [\d.]+/g, '')).join('\n'),
  )
  return broken ? 'has a number that is no integer: prices are nano-dollars' : undefined
}

/** How many models a file has. */
export function modelsIn(text: string): number {
  return text.match(/^ {2}\{/gm)?.length ?? 0
}

/** A value as TypeScript source on one line; undefined members are left out. */
function literal(value: unknown): string {
  if (typeof value === 'symbol') return value.description ?? ''
  if (typeof value === 'number') return String(value).replace(/\B(?=(\d{3})+$)/g, '_')
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{ ${members.map(([key, member]) => `${key}: ${literal(member)}`).join(', ')} }`
}
