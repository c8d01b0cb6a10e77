import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brave, linkOf } from '../../apps/server/test/sdk/search-vendors.ts'
import { type Script, scripted } from '../../packages/conformance/src/families/chat/script.ts'
import { startUpstream } from '../../packages/conformance/src/upstream.ts'
import { SERVER_PROVIDER } from '../provider.ts'
import { API_KEY, startServer } from '../server.ts'
import type { Agent } from './agent.ts'
import { runAgent } from './process.ts'
import { endProblems, folderIn } from './task.ts'

const PROMPT = 'Search the web for how a gateway routes, and say where that is written.'
const QUERY = 'how a gateway routes'
const SOURCE = linkOf('brave', 2)
const ANSWER = `By the model that is named: ${SOURCE}`
const NOT_FOUND = 'No results.'

/**
 * Runs an agent with web search through the gateway, with a model whose server has no search and a loopback backend.
 * Resolves with the problems.
 */
export async function runSearch(agent: Agent): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-e2e-'))
  const [upstream, backend] = await Promise.all([startUpstream(), startUpstream()])
  const queries: (string | null)[] = []
  try {
    const { name, format, base, model, settings } = SERVER_PROVIDER
    upstream.answer(scripted(searching, format))
    backend.answer((request) => {
      queries.push(request.query.get('q'))
      return brave(request)
    })
    const server = await startServer(
      folderIn(folder, 'gateway'),
      { [name]: { baseUrl: `${upstream.origin}${base}`, ...settings } },
      {
        search: { backends: { brave: { apiKey: 'key-of-the-backend', baseUrl: backend.origin } } },
        adapters: ['packages/search/brave'],
      },
    )
    try {
      const task = { prompt: PROMPT, question: '', answer: '', url: server.url, apiKey: API_KEY, model }
      const ended = await runAgent(agent, task, {
        project: folderIn(folder, 'project'),
        home: folderIn(folder, 'home'),
      })
      const isSearched = queries.length === 1 && queries[0] === QUERY
      return [
        ...endProblems(agent, ended, ANSWER),
        ...(isSearched ? [] : [`the backend received the query ${JSON.stringify(queries)}`]),
      ]
    } finally {
      await server.stop()
    }
  } finally {
    await Promise.all([upstream.close(), backend.close()])
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The model takes its source from the search results. */
const searching: Script = ({ said, tools = [] }) => {
  const found = said.findLast((one) => 'result' in one)
  if (found) return { text: found.result.includes(SOURCE) ? ANSWER : NOT_FOUND }
  const tool = tools.find(({ name }) => name === 'web_search')
  return tool
    ? { call: { id: 'call_of_searching', name: tool.name, arguments: { query: QUERY } } }
    : { text: NOT_FOUND }
}
