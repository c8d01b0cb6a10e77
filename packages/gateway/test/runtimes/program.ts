import { openAICompatible } from '../../../core/src/openai-compatible.ts'
import { createGateway, type FetchContext, memoryBudgets, type UsageRow } from '../../src/index.ts'

/** What the test sets, as text: environment variables in Bun, bindings in workerd. */
export interface Settings {
  /** Base URL of a provider of chat completions. */
  readonly UPSTREAM: string
  /** Base URL where nothing listens. */
  readonly CLOSED: string
  /** Milliseconds until a provider must have begun to answer, and that it may be silent. */
  readonly PATIENCE: string
}

/** The answer of `GET /counted`. */
export interface Counted {
  /**
   * One text for each request that reached a provider: model, why it is billed or not, failure, output tokens, cost in
   * nano-dollars.
   */
  readonly rows: readonly string[]
  /** The budget in nano-dollars. */
  readonly spent: string
  readonly held: string
}

type Handler = (request: Request, context?: FetchContext) => Response | Promise<Response>

/** A million output tokens cost a dollar, input is free. */
const PRICE = { id: 'test', input: 0, output: 1_000_000_000 }

/**
 * A program that embeds the gateway in what has `Request` and `Response`. The budget of its one key is a tenth of a
 * dollar.
 */
export function createProgram({ UPSTREAM, CLOSED, PATIENCE }: Settings): Handler {
  const rows: UsageRow[] = []
  const provider = openAICompatible({ id: 'up', title: 'Up', baseUrl: UPSTREAM })
  const budgets = memoryBudgets({ budgets: [{ owner: 'alice', limit: 100_000_000n, period: 'day' }] })
  const gateway = createGateway({
    providers: [
      { name: 'up', provider: provider({ apiKey: 'sk-up', baseUrl: UPSTREAM }), models: ['chat'] },
      { name: 'closed', provider: provider({ apiKey: 'sk-up', baseUrl: CLOSED }), models: ['chat'] },
    ],
    authenticate: (credential) => (credential === 'sk-of-alice' ? { id: 'alice' } : undefined),
    ledger: { settle: (row) => void rows.push(row) },
    budgets,
    prices: { 'up/chat': PRICE, 'closed/chat': PRICE },
    times: { firstByte: Number(PATIENCE), silence: Number(PATIENCE) },
    retries: { share: 0, least: 0 },
  })
  const counted = (): Counted => {
    const [budget] = budgets.state()
    return {
      rows: rows.map(({ model, why, failure = '-', usage, cost }) =>
        [model, why, failure, usage?.output ?? '-', cost ?? '-'].join(' '),
      ),
      spent: String(budget?.spent),
      held: String(budget?.held),
    }
  }
  return (request, context) =>
    new URL(request.url).pathname === '/counted' ? Response.json(counted()) : gateway.fetch(request, context)
}
