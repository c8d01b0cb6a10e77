import { HeadgateError } from '@headgate/gateway/ports'
import { loadSettings, storeOptions } from '../config/settings.ts'
import { type Command, configOption, dataDirOption, flagsOf, table } from './command.ts'

/** Model of `GET /v1/models`, limited to the fields that are printed. */
interface ModelListEntry {
  readonly id: string
  readonly providers: readonly string[]
  readonly context_length?: number
  readonly max_output_tokens?: number
  readonly inputs?: readonly string[]
  readonly families?: readonly string[]
  readonly deprecated?: boolean
  readonly price: { readonly input: number; readonly output: number } | null
}

/** Placeholder for an unknown value. An unknown price is not 0. */
const UNKNOWN = '?'

export const listModels: Command = {
  name: 'models',
  words: '[filter …]',
  summary: 'lists the models that can be called, and their prices',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const settings = await loadSettings(flagsOf(context.values), context)
    const { withGateway } = await import('../video/gateway.ts')
    const parts = { settings, options: storeOptions(settings), context, names: [] }
    const entries = await withGateway(parts, async (gateway) => {
      const answer = await gateway.fetch(
        new Request('http://headgate.local/v1/models', { headers: { authorization: 'Bearer -' } }),
      )
      if (!answer.ok) throw new HeadgateError('internal', `The models could not be listed: ${await answer.text()}`)
      return ((await answer.json()) as { data: readonly ModelListEntry[] }).data
    })
    const found = entries.filter((entry) => context.words.every((word) => isMeant(entry, word.toLowerCase())))
    if (found.length === 0) return context.note(`No model, provider or family matches (${entries.length} models).\n`)
    const headings = ['MODEL', 'PROVIDERS', 'FAMILIES', 'INPUTS', 'CONTEXT', 'OUTPUT', '$/M IN', '$/M OUT', '']
    context.print(table(headings, found.map(cells)))
  },
}

/** True if the word is part of the model's name, or names one of its providers or families. */
function isMeant({ id, providers, families = [] }: ModelListEntry, word: string): boolean {
  return id.toLowerCase().includes(word) || [...providers, ...families].some((name) => name.toLowerCase() === word)
}

function cells({
  id,
  providers,
  families,
  inputs,
  context_length,
  max_output_tokens,
  price,
  deprecated,
}: ModelListEntry): string[] {
  const count = (tokens: number | undefined): string => tokens?.toLocaleString('en') ?? UNKNOWN
  const dollars = (rate: number | undefined): string => rate?.toFixed(rate < 0.01 && rate > 0 ? 4 : 2) ?? UNKNOWN
  return [
    id,
    providers.join(', '),
    families?.join(', ') ?? UNKNOWN,
    inputs?.join(', ') ?? UNKNOWN,
    count(context_length),
    count(max_output_tokens),
    dollars(price?.input),
    dollars(price?.output),
    deprecated ? 'deprecated' : '',
  ]
}
