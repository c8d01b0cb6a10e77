import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { HeadgateError } from '@headgate/gateway/ports'
import { loadSettings, type Settings } from '../config/settings.ts'
import { type Command, configOption, flagsOf } from './command.ts'

/** Time limit of the whole check, in milliseconds. */
const LIMIT_MS = 3_000
/** Maximum bytes of a response that are read. */
const MAX_BYTES = 16_384

export const checkHealth: Command = {
  name: 'health',
  summary: 'checks a gateway that runs on this machine; exits with 1 if it does not answer',
  options: {
    ready: { type: 'boolean', help: 'check /readyz instead of /healthz' },
    config: configOption,
    port: { type: 'string', value: 'port', help: 'port of the gateway (env PORT, default 8787)' },
    host: {
      type: 'string',
      value: 'address',
      help: 'address that the gateway listens on (env HOST, default 127.0.0.1)',
    },
  },
  async run(context) {
    const { values, print } = context
    const settings = await loadSettings(flagsOf(values), context, [])
    const url = new URL(values['ready'] === true ? '/readyz' : '/healthz', addressOf(settings))
    const { status, body } = await get(url)
    if (status === 200) return print(`${url}: ${status}\n`)
    throw new HeadgateError('invalid-request', `${url} answers ${status}: ${body}`)
  },
}

/** URL of the health port, or of the listener, on this machine. */
function addressOf({ host, port, config: { server = {} } }: Settings): string {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host
  if (server.healthPort !== undefined) return `http://${name}:${server.healthPort}`
  return `${server.tls ? 'https' : 'http'}://${name}:${port}`
}

/** Response to a GET request. @throws HeadgateError if it is late */
async function get(url: URL): Promise<{ readonly status: number; readonly body: string }> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  // The certificate names the public host, not this machine, and nothing secret is sent.
  const sent =
    url.protocol === 'https:' ? secureRequest(url, { signal, rejectUnauthorized: false }) : request(url, { signal })
  sent.end()
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    let body = ''
    for await (const piece of response.setEncoding('utf8')) {
      body += String(piece)
      if (body.length > MAX_BYTES) break
    }
    return { status: response.statusCode ?? 0, body: body.slice(0, MAX_BYTES) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HeadgateError('invalid-request', `${url} does not answer: ${reason}`)
  }
}
