import { CORRECTIONS } from './corrections.ts'
import { factsOf, isText } from './facts.ts'
import type { ListedModel, Listing } from './models-dev.ts'
import type { ServedModel } from './same-models.ts'

/** First line of a generated file, with the provider's id at models.dev. A long line continues in the next one. */
const HEAD =
  /Models of `([\w.-]+)` at https:\/\/models\.dev \(MIT License\), (\d{4}-\d\d-\d\d)\. Written by `pnpm catalog`, not\b/
/** Maximum characters of a line. */
const WIDTH = 120

/** Id at models.dev of the provider in a generated file. Undefined for a file that the tool has not written. */
export function listedAs(text: string): string | undefined {
  return HEAD.exec(text)?.[1]
}

/** Tells if the tool has written a file of models, which exempts it from length limits. */
export function isGenerated({
  path,
  comments,
}: {
  readonly path: string
  readonly comments: readonly { readonly value: string }[]
}): boolean {
  return path.endsWith('/src/models.ts') && comments.some(({ value }) => HEAD.test(value))
}

/** Chat and embedding models of a provider, in the order of its file. */
function textModels({ models }: Listing): [id: string, model: ListedModel][] {
  return Object.entries(models)
    .filter(([id, model]) => isText(id, model))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Models of a package, for their shared names. */
export function servedBy(provider: string, listing: Listing): ServedModel[] {
  return textModels(listing).map(([id, { limit, modalities }]) => ({
    provider,
    id,
    context: limit.context,
    inputs: modalities.input,
  }))
}

/**
 * Content of a package's `src/models.ts`: its chat and embedding models, one line each. `listed` is its id at
 * models.dev. `names` are shared names by `<provider>/<id>`.
 */
export function modelsFile(
  provider: string,
  listed: string,
  listing: Listing,
  date: string,
  names: ReadonlyMap<string, string>,
): string {
  const correction = CORRECTIONS[provider] ?? {}
  const lines = textModels(listing).map(
    ([id, model]) => `  ${literal(factsOf(id, model, correction, names.get(`${provider}/${id}`)))},`,
  )
  return framed(listed, date, lines)
}

function comment(text: string): string {
  if (text.length + 3 <= WIDTH) return `// ${text}`
  const end = text.lastIndexOf(' ', WIDTH - 3)
  return `// ${text.slice(0, end)}\n// ${text.slice(end + 1)}`
}

function framed(listed: string, date: string, lines: readonly string[]): string {
  const constant = lines.some((line) => line.includes('id: source')) ? `const source = 'models.dev@${date}'\n\n` : ''
  const source = `Models of \`${listed}\` at https://models.dev (MIT License), ${date}.`
  return `${comment(`${source} Written by \`pnpm catalog\`, not by hand.`)}
import type { ModelFacts } from '@headgate/core/provider'

${constant}// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
${lines.join('\n')}
]
`
}

/** Manual changes in a generated file. Undefined if it is unchanged. */
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
  return broken ? 'has a number that is not an integer: prices are nano-dollars' : undefined
}

/** Number of models in a file. */
export function modelsIn(text: string): number {
  return text.match(/^ {2}\{/gm)?.length ?? 0
}

/** Value as TypeScript source on one line, without undefined members. */
function literal(value: unknown): string {
  if (typeof value === 'symbol') return value.description ?? ''
  if (typeof value === 'number') return String(value).replace(/\B(?=(\d{3})+$)/g, '_')
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{ ${members.map(([key, member]) => `${key}: ${literal(member)}`).join(', ')} }`
}
