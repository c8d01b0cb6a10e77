import { parseArgs } from 'node:util'
import { againstId, againstUrl, type NewAdapter, titleOf, withoutSlash } from './adapter.ts'
import { packageName } from './package-files.ts'
import { TEMPLATES, type TemplateId } from './templates.ts'

/** What somebody wants to have laid down. */
export interface Wish {
  readonly template: TemplateId
  readonly adapter: NewAdapter
  /** Where, from the folder of the command; absent = in a folder named like the package. */
  readonly folder?: string | undefined
}

/** Asks somebody; undefined = there is nobody to be asked. */
export type Ask = ((question: string) => Promise<string>) | undefined

export const USAGE = `usage: npm create headgate-adapter <id> -- --base-url <url> [--preset | --codec | --signed | --search]
                                  [--title <name>] [--docs <url>] [--name <package>] [--folder <path>]
`

const OPTIONS = {
  preset: { type: 'boolean' },
  codec: { type: 'boolean' },
  signed: { type: 'boolean' },
  search: { type: 'boolean' },
  'base-url': { type: 'string' },
  title: { type: 'string' },
  docs: { type: 'string' },
  name: { type: 'string' },
  folder: { type: 'string' },
  help: { type: 'boolean' },
} as const

const CHOICES: readonly (readonly [TemplateId, string])[] = [
  ['preset', 'a provider that speaks chat completions'],
  ['codec', 'a provider with a format of its own'],
  ['signed', 'a provider whose key has to be obtained first'],
  ['search', 'a backend of search'],
]

/** How often one question is asked. */
const TRIES = 3

/** Reads the arguments, and asks for what they leave out. @throws Error that says what is wrong with them. */
export async function readWish(args: readonly string[], ask: Ask): Promise<Wish | undefined> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (values.help || positionals.length > 1) return undefined
  const flags = CHOICES.flatMap(([id]) => (values[id] ? [id] : []))
  if (flags.length > 1) throw new Error(`--${flags.join(' and --')} exclude each other.`)

  const [given] = positionals
  const isWhole = given !== undefined && values['base-url'] !== undefined
  if (!isWhole && ask === undefined) return undefined
  const template = flags[0] ?? (isWhole ? 'preset' : await askTemplate(ask))
  const id = await checked(given, ask, 'Its id, as callers will name it (acme): ', againstId)
  const baseUrl = await checked(values['base-url'], ask, 'Its base URL (https://api.acme.example/v1): ', againstUrl)
  const docs = await checked(
    values.docs ?? (isWhole ? '' : undefined),
    ask,
    'The page of its documentation, if any: ',
    (url) => (url === '' ? undefined : againstUrl(url)),
  )
  const adapter: NewAdapter = {
    id,
    title: values.title ?? titleOf(id),
    baseUrl: withoutSlash(baseUrl),
    name: checkedName(values.name ?? packageName(TEMPLATES[template].kind, id)),
    ...(docs !== '' && { docs }),
  }
  return { template, adapter, folder: values.folder }
}

async function askTemplate(ask: Ask): Promise<TemplateId> {
  const list = CHOICES.map(([, text], index) => `  ${index + 1}  ${text}\n`).join('')
  const answer = await checked(undefined, ask, `What is it?\n${list}(1): `, (text) =>
    /^[1-4]?$/.test(text) ? undefined : `'${text}' is none of 1, 2, 3 and 4.`,
  )
  return CHOICES[Number(answer || 1) - 1]?.[0] ?? 'preset'
}

/** What was given, else what is answered, as often as the answer can not be. */
async function checked(
  given: string | undefined,
  ask: Ask,
  question: string,
  against: (answer: string) => string | undefined,
): Promise<string> {
  let reason = given === undefined ? undefined : against(given)
  if (given !== undefined && reason === undefined) return given
  for (let tries = given === undefined ? TRIES : 0; tries > 0; tries -= 1) {
    const answer = ((await ask?.(reason === undefined ? question : `${reason}\n${question}`)) ?? '').trim()
    reason = against(answer)
    if (reason === undefined) return answer
  }
  throw new Error(reason)
}

function checkedName(name: string): string {
  if (/^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*$/.test(name) && name.length <= 214) return name
  throw new Error(`'${name}' can not be the name of a package.`)
}
