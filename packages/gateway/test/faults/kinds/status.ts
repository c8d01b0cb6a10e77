import { errorBody } from '../answers.ts'
import type { Fate, Fault } from '../fault.ts'
import { FORMAT_IDS, type Scene } from '../scene.ts'
import { answer, type Headers, JSON_TYPE, type Step } from '../step.ts'

const STATUSES = [
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 418, 422, 424, 425, 429, 431, 451, 499],
  ...[500, 501, 502, 503, 504, 505, 507, 511, 520, 521, 522, 524, 529, 530, 598, 599],
]
const HTML = ['content-type', 'text/html; charset=utf-8'] as const
const TEXT = ['content-type', 'text/plain'] as const
const PAGE = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

const message = 'The upstream is in pain'

const own = ({ format }: Scene): unknown => errorBody(format, message)
const other = ({ format, random }: Scene): unknown =>
  errorBody(random.pick(FORMAT_IDS.filter((id) => id !== format)), message)

function failing(shape: string, bodyOf: (scene: Scene) => unknown, headers: Headers = [JSON_TYPE]): Fault {
  const steps = (scene: Scene): Step[] => answer(scene.random.pick(STATUSES), bodyOf(scene), headers)
  return { name: `a failing status with ${shape}`, fate: 'failed', steps }
}

/** One status, with an error of the format's own. */
function status(code: number, fate: Fate, headers: Headers = []): Fault {
  return { name: `status ${code}`, fate, steps: (scene) => answer(code, own(scene), [JSON_TYPE, ...headers]) }
}

const ABSURD = [
  '99999999999',
  'Infinity',
  '-1',
  '1e400',
  'NaN',
  'soon',
  '0x10',
  '',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  '1e21',
  '0.0000001',
]

/** An answer that says back with what it was called. */
function telling(code: number, text: (secret: string) => string, name: string, headers: Headers = [JSON_TYPE]): Fault {
  return { name, fate: 'failed', steps: (scene) => answer(code, errorBody(scene.format, text(scene.secret)), headers) }
}

/** Statuses that say that it went wrong, with every shape of body. */
export const statusFaults: readonly Fault[] = [
  failing("an error of the format's own", own),
  failing('an error of another format', other),
  failing('a page', () => PAGE, [HTML]),
  failing('a page that says it is JSON', () => PAGE),
  failing('no body', () => ''),
  failing('a list of one error', (scene) => [own(scene)]),
  failing('an empty list', () => []),
  failing('a text', () => message, [TEXT]),
  failing('JSON that says it is text', own, [TEXT]),
  failing('no content type', own, []),
  failing('null', () => 'null'),
  failing('a number', () => '500'),
  failing('an error that is a text', () => ({ error: message })),
  failing('an error that is null', () => ({ error: null })),
  failing('values of wrong types', () => ({
    error: { message: { a: [] }, type: 7, code: {}, status: [], details: 'x' },
  })),
  failing('half of JSON', () => '{"error":{"message":"The upst'),
  failing('a gigantic error', () => ({ error: { message: 'pain '.repeat(400_000) } })),
  failing('a deep error', () => `${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  failing('bytes that are no text', () => Buffer.from(Array.from({ length: 256 }, (_, index) => index))),
  failing('an error as a stream', (scene) => `data: ${JSON.stringify(own(scene))}\n\n`, [
    ['content-type', 'text/event-stream'],
  ]),
  status(500, 'failed'),
  status(503, 'failed'),
  status(529, 'failed'),
  status(429, 'failed'),
  {
    ...status(400, 'final'),
    steps: ({ format }) => answer(400, errorBody(format, 'The field seed is wrong.', 'request')),
  },
  {
    name: 'an absurd retry-after',
    fate: 'failed',
    steps: (scene) =>
      answer(scene.random.pick([429, 503]), own(scene), [JSON_TYPE, ['retry-after', scene.random.pick(ABSURD)]]),
  },
  {
    name: 'an absurd retry-after-ms',
    fate: 'failed',
    steps: (scene) => answer(429, own(scene), [JSON_TYPE, ['retry-after-ms', scene.random.pick(ABSURD)]]),
  },
  {
    name: 'an absurd wait in the words of an error',
    fate: 'failed',
    steps: ({ format, random }) => {
      const wait = random.pick(['99999999999h', '1e9s', '999999999999999999999999999999h', '0s', '1h1h1h1h'])
      return answer(429, errorBody(format, `Rate limited: try again in ${wait}.`, 'limit'))
    },
  },
  telling(
    401,
    (secret) => `Incorrect API key provided: ${secret}. Find yours at the console.`,
    'a 401 that says the key',
  ),
  telling(500, (secret) => `Called with Authorization: Bearer ${secret}`, 'a 500 that says the key'),
  telling(
    400,
    (secret) => `${'x'.repeat(1_985)} ${secret} is the key`,
    'an error that says the key where it is cut off',
  ),
  telling(503, (secret) => `Key ${secret}`, 'an error that says the key in headers too', [
    JSON_TYPE,
    ['x-request-headers', 'authorization'],
    ['set-cookie', 'session=1'],
  ]),
]
