import { parseArgs } from 'node:util'
import { idProblem, type NewAdapter, titleOf, urlProblem, withoutSlash } from './adapter.ts'
import { packageName } from './package-files.ts'
import { TEMPLATES, type TemplateId } from './templates.ts'

/** Parsed arguments of the command. */
export interface CommandArguments {
  readonly template: TemplateId
  readonly adapter: NewAdapter
  /** Target folder, relative to the working folder. Absent: a folder with the name of the package. */
  readonly folder?: string | undefined
}

/** Prompt for missing arguments. Undefined without a terminal. */
export type Ask = ((question: string) => Promise<string>) | undefined

export const USAGE = `usage: npm create headgate-adapter <id> -- --base-url <url> [--preset | --codec | --signed | --search | --sink]
                                  [--title <name>] [--docs <url>] [--name <package>] [--folder <path>]
`

const OPTIONS = {
  preset: { type: 'boolean' },
  codec: { type: 'boolean' },
  signed: { type: 'boolean' },
  search: { type: 'boolean' },
  sink: { type: 'boolean' },
  'base-url': { type: 'string' },
  title: { type: 'string' },
  docs: { type: 'string' },
  name: { type: 'string' },
  folder: { type: 'string' },
  help: { type: 'boolean' },
} as const

const CHOICES: readonly (readonly [TemplateId, string])[] = [
  ['preset', 'a provider that speaks chat completions'],
  ['codec', 'a provider with a separate format'],
  ['signed', 'a provider that exchanges a client id and secret for a token'],
  ['search', 'a search backend'],
  ['sink', 'a destination of usage rows'],
]

/** Maximum attempts per question. */
const TRIES = 3

/**
 * Parses the arguments, and prompts for missing ones.
 * @throws Error if they are invalid.
 */
export async function readArguments(args: readonly string[], ask: Ask): Promise<CommandArguments | undefined> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (values.help || positionals.length > 1) return undefined
  const flags = CHOICES.flatMap(([id]) => (values[id] ? [id] : []))
  if (flags.length > 1) throw new Error(`--${flags.join(' and --')} exclude each other.`)

  const [given] = positionals
  const isWhole = given !== undefined && values['base-url'] !== undefined
  if (!isWhole && ask === undefined) return undefined
  const template = flags[0] ?? (isWhole ? 'preset' : await askTemplate(ask))
  const id = await checked(given, ask, 'Id of the adapter, as in the vendor header (acme): ', idProblem)
  const baseUrl = await checked(
    values['base-url'],
    ask,
    'Base URL of the API (https://api.acme.example/v1): ',
    urlProblem,
  )
  const docs = await checked(
    values.docs ?? (isWhole ? '' : undefined),
    ask,
    'URL of the API documentation (optional): ',
    (url) => (url === '' ? undefined : urlProblem(url)),
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
  const answer = await checked(undefined, ask, `What do you want to create?\n${list}(1): `, (text) =>
    /^[1-5]?$/.test(text) ? undefined : `'${text}' is not a choice. Enter a number from 1 to 5.`,
  )
  return CHOICES[Number(answer || 1) - 1]?.[0] ?? 'preset'
}

/** The argument if it is valid. Without one, the answer to a prompt, which repeats up to {@link TRIES} times. */
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
  throw new Error(`'${name}' is not a valid package name.`)
}
