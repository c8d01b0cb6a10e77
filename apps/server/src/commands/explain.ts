import { HeadgateError, object } from '@headgate/gateway/ports'
import { loadSettings, storeOptions } from '../config/settings.ts'
import {
  type Command,
  type CommandContext,
  configOption,
  dataDirOption,
  flagsOf,
  stringFlag,
  table,
  usageError,
} from './command.ts'

/** Candidate of a dry run, limited to the fields that are printed. */
interface ExplainedCandidate {
  readonly provider: string
  readonly endpoint: string | null
  readonly model: string
  readonly healthy: boolean
  readonly refused: { readonly message: string } | null
  readonly price: string | null
  readonly bound: string | null
  readonly budget: string | null
  readonly why: string
}

interface Explanation {
  readonly policy: string | null
  readonly candidates: readonly ExplainedCandidate[]
}

/** Sends a request to a gateway. @param path such as `/v1/models` */
type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Smallest requests by family, without their model. */
const REQUESTS = {
  chat: { path: '/v1/chat/completions', body: { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] } },
  embeddings: { path: '/v1/embeddings', body: { input: 'Hello' } },
  rerank: { path: '/v1/rerank', body: { query: 'Hello', documents: ['Hello'] } },
} as const

/** Time limit of a request to a running gateway in milliseconds. */
const PATIENCE = 10_000
/** Placeholder for an unknown value. */
const UNKNOWN = '?'

export const explainModel: Command = {
  name: 'explain',
  words: '<model>',
  summary: 'shows which endpoints would serve a model, in which order, and why; calls no provider',
  options: {
    vendor: { type: 'string', value: 'name', help: 'provider that must serve the request' },
    key: { type: 'string', value: 'id or name', help: 'key whose rights apply (default: no restrictions)' },
    policy: { type: 'string', value: 'policy', help: 'value of the header headgate-policy, such as cheapest' },
    url: {
      type: 'string',
      value: 'URL',
      help: 'address of a running gateway, which knows the current health of endpoints (env HEADGATE_URL). Its key is HEADGATE_API_KEY',
    },
    json: { type: 'boolean', help: 'print the response of the dry run' },
    config: configOption,
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [model, ...more] = context.words
    if (model === undefined || more.length > 0) throw usageError('explain takes one model: headgate explain demo')
    const running = runningGateway(context)
    const answer = running ? await explained(context, model, running) : await explainedHere(context, model)
    if (context.values['json'] === true) return context.print(`${JSON.stringify(answer, null, 2)}\n`)
    if (!running)
      context.note(
        'Only a running gateway knows the current health, latency and load of endpoints: set HEADGATE_URL and HEADGATE_API_KEY.\n',
      )
    context.print(textOf(answer))
  },
}

/** Function that sends requests to the running gateway; undefined if the command line and the environment name none. */
function runningGateway(context: CommandContext): Send | undefined {
  const key = context.environment['HEADGATE_API_KEY']
  const flag = stringFlag(context, 'url')
  const hasKey = stringFlag(context, 'key') !== undefined
  if (flag !== undefined && hasKey) throw usageError('--key applies without --url. With --url, set HEADGATE_API_KEY.')
  if (flag !== undefined && !key) throw usageError('--url needs an API key: set HEADGATE_API_KEY')
  const url = flag ?? (hasKey ? undefined : context.environment['HEADGATE_URL'])
  if (!url || !key) return undefined
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw usageError(`--url: found ${JSON.stringify(url)}; allowed: an address such as http://127.0.0.1:8787`)
  const base = url.replace(/\/+$/, '')
  return async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${key}`)
    try {
      return await fetch(`${base}${path}`, { ...init, headers, signal: AbortSignal.timeout(PATIENCE) })
    } catch (error) {
      throw new HeadgateError('upstream', `${base} cannot be reached: ${reasonOf(error)}.`)
    }
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return String(cause)
}

/** Dry run in a gateway of this process. */
async function explainedHere(context: CommandContext, model: string): Promise<Explanation> {
  const settings = await loadSettings(flagsOf(context.values), context)
  const { withGateway } = await import('../video/gateway.ts')
  const vendor = stringFlag(context, 'vendor')
  const names = [model.split('/')[0] ?? '', ...(vendor === undefined ? [] : [vendor])]
  const parts = { settings, options: storeOptions(settings), context, names, key: stringFlag(context, 'key') }
  return withGateway(parts, (gateway) =>
    explained(context, model, (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', 'Bearer command-line')
      return gateway.fetch(new Request(`http://headgate.local${path}`, { ...init, headers }))
    }),
  )
}

async function explained(context: CommandContext, model: string, send: Send): Promise<Explanation> {
  const [vendor, policy] = [stringFlag(context, 'vendor'), stringFlag(context, 'policy')]
  const { path, body } = REQUESTS[await familyOf(model, send)]
  const answer = await send(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'headgate-dry-run': 'true',
      ...(vendor !== undefined && { vendor }),
      ...(policy !== undefined && { 'headgate-policy': policy }),
    },
    body: JSON.stringify({ model, ...body }),
  })
  return (await readJson(answer)) as Explanation
}

/** Family of a model by its facts; chat if they are unknown. */
async function familyOf(model: string, send: Send): Promise<keyof typeof REQUESTS> {
  const answer = await send(`/v1/models/${model.split('/').map(encodeURIComponent).join('/')}`)
  // The dry run explains why a model is unknown.
  if (answer.status === 404) return 'chat'
  const { families } = (await readJson(answer)) as { families?: readonly string[] }
  const known = (['chat', 'embeddings', 'rerank'] as const).find((family) => families?.includes(family))
  if (families && !known)
    throw new HeadgateError('invalid-request', `explain supports chat, embeddings and rerank, not ${families.join()}.`)
  return known ?? 'chat'
}

/** JSON of a response. @throws HeadgateError with the gateway's message if it is an error. */
async function readJson(answer: Response): Promise<object> {
  const body = object(await answer.json().catch(() => undefined))
  if (answer.ok && body) return body
  const message = object(body?.['error'])?.['message']
  const text = typeof message === 'string' ? message : `The gateway answered with status ${answer.status}.`
  throw new HeadgateError(answer.status < 500 ? 'invalid-request' : 'upstream', text)
}

function textOf({ policy, candidates }: Explanation): string {
  const isSplit = candidates.some(({ endpoint }) => endpoint !== null)
  const headings = ['RANK', 'PROVIDER', ...(isSplit ? ['ENDPOINT'] : []), 'MODEL', 'PRICE', 'MAX COST', 'STATE', 'WHY']
  const rows = candidates.map((candidate, index) => {
    const { provider, endpoint, model, price, bound, refused } = candidate
    return [
      refused ? '-' : String(index + 1),
      provider,
      ...(isSplit ? [endpoint ?? ''] : []),
      model,
      // The rest of an id repeats the model and has the start of the price.
      price?.split(':')[0] ?? UNKNOWN,
      bound === null ? UNKNOWN : `$${bound}`,
      ...stateOf(candidate),
    ]
  })
  return `${policy === null ? '' : `Policy: ${policy}\n\n`}${table(headings, rows)}`
}

/** State and reason of a candidate. */
function stateOf({ healthy, refused, budget, why }: ExplainedCandidate): [state: string, why: string] {
  if (refused) return ['rejected', refused.message]
  if (budget !== null) return ['over budget', budget]
  return [healthy ? 'ok' : 'cooldown', why]
}
