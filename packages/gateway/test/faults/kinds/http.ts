import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { errorBody } from '../answers.ts'
import type { Fault } from '../fault.ts'
import type { Scene } from '../scene.ts'
import {
  answer,
  CHUNKED,
  chunk,
  chunked,
  type Headers,
  head,
  JSON_TYPE,
  LAST_CHUNK,
  STREAM_TYPE,
  type Step,
} from '../step.ts'
import { goodBody, goodSteps } from './good.ts'

const typeOf = ({ stream }: Scene) => (stream ? STREAM_TYPE : JSON_TYPE)

/** A good body under other headers. */
function under(name: string, headers: Headers, more: Partial<Fault> = {}): Fault {
  return { name, fate: 'served', ...more, steps: (scene) => answer(200, goodBody(scene), [typeOf(scene), ...headers]) }
}

function encoded(name: string, encoding: string, encode: (body: Buffer) => Buffer, more: Partial<Fault> = {}): Fault {
  return {
    name,
    fate: 'served',
    ...more,
    steps: (scene) => chunked([encode(goodBody(scene))], [typeOf(scene), ['content-encoding', encoding]]),
  }
}

function informed(name: string, informs: readonly string[], more: Partial<Fault> = {}): Fault {
  return { name, fate: 'served', ...more, steps: (scene) => [{ send: informs.join('') }, ...goodSteps(scene)] }
}

function bare(name: string, steps: (scene: Scene) => readonly Step[], more: Partial<Fault> = {}): Fault {
  return { name, fate: 'failed', ...more, steps }
}

function length(scene: Scene, difference: number): Headers {
  return [typeOf(scene), ['content-length', String(goodBody(scene).length + difference)]]
}

/** 48 MB of zeros in 47 KB: more than the limit of an answer, which counts what was inflated. */
const BOMB = gzipSync(Buffer.alloc(48 * 1024 * 1024))

const many: Headers = Array.from({ length: 400 }, (_, index) => [`x-${index}`, 'a'.repeat(20)] as const)

/** Answers that HTTP itself makes hard. */
export const httpFaults: readonly Fault[] = [
  bare('content-length too short', (scene) => [head(200, length(scene, -20)), { send: goodBody(scene) }, 'close'], {
    fate: () => undefined,
    alters: true,
  }),
  bare('content-length too long', (scene) => [head(200, length(scene, 20)), { send: goodBody(scene) }, 'close'], {
    fate: ({ stream }) => (stream ? 'served' : 'failed'),
  }),
  bare(
    'content-length too long, then silence',
    (scene) => [head(200, length(scene, 20)), { send: goodBody(scene) }, 'stall'],
    {
      fate: ({ stream }) => (stream ? 'served' : 'failed'),
      stalls: true,
    },
  ),
  bare('content-length that is no number', (scene) => [
    head(200, [typeOf(scene), ['content-length', 'many']]),
    { send: goodBody(scene) },
    'close',
  ]),
  bare('two content-lengths', (scene) => [
    head(200, [...length(scene, 0), ['content-length', '7']]),
    { send: goodBody(scene) },
    'close',
  ]),
  bare(
    'a content-length and chunks',
    (scene) => [head(200, [...length(scene, 0), CHUNKED]), chunk(goodBody(scene)), LAST_CHUNK, 'close'],
    {
      fate: () => undefined,
    },
  ),
  bare('chunks of a size that is no number', (scene) => [
    head(200, [typeOf(scene), CHUNKED]),
    { send: `zz\r\n${goodBody(scene)}\r\n0\r\n\r\n` },
    'close',
  ]),
  bare('no length, until it is closed', (scene) => [head(200, [typeOf(scene)]), { send: goodBody(scene) }, 'close'], {
    fate: 'served',
  }),
  bare('HTTP/1.0', (scene) => [head(200, [typeOf(scene)], '1.0'), { send: goodBody(scene) }, 'close'], {
    fate: 'served',
  }),
  bare('a head whose lines end with LF', () => [{ send: 'HTTP/1.1 200 OK\ncontent-length: 0\n\n' }, 'close']),
  bare(
    'trailers',
    (scene) => [
      head(200, [typeOf(scene), CHUNKED, ['trailer', 'x-sum']]),
      chunk(goodBody(scene)),
      { send: '0\r\nx-sum: 7\r\n\r\n' },
    ],
    { fate: 'served' },
  ),
  bare('a second answer at once', (scene) => [...goodSteps(scene), ...goodSteps(scene), 'close'], { fate: 'served' }),
  // The transport takes a 100 that it did not ask for as the end of the connection.
  informed('100 Continue first', ['HTTP/1.1 100 Continue\r\n\r\n'], { fate: 'failed', mute: true }),
  informed('early hints first', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n']),
  bare(
    '101 Switching Protocols',
    () => [
      head(101, [
        ['upgrade', 'websocket'],
        ['connection', 'upgrade'],
      ]),
      'close',
    ],
    { mute: true },
  ),
  bare('204', () => [head(204, [])]),
  bare('205', () => answer(205, '')),
  bare('206', ({ format }) => answer(206, errorBody(format, 'half')), { fate: () => undefined }),
  bare('304', () => [head(304, [])]),
  bare('a redirect', ({ random }) => answer(random.pick([301, 302, 303, 307, 308]), '', [['location', '/elsewhere']])),
  bare('a redirect to another host', () => answer(307, '', [['location', 'http://127.0.0.1:1/elsewhere']])),
  bare('status 600', ({ format }) => answer(600, errorBody(format, 'what'))),
  bare('status 999', ({ format }) => answer(999, errorBody(format, 'what'))),
  bare('status 99', ({ format }) => [...answer(99, errorBody(format, 'what')), 'close'], { mute: true }),
  under('huge headers', [['x-a', 'a'.repeat(60_000)]], { fate: 'failed' }),
  under('many headers', many, { fate: () => undefined }),
  under('cookies and CORS headers', [
    ['set-cookie', 'session=1'],
    ['set-cookie', 'other=2'],
    ['access-control-allow-origin', '*'],
    ['server', 'upstream/1'],
  ]),
  under(
    'headers that are not ASCII',
    [
      ['x-a', 'Grüße'],
      ['x-b', '\u0001'],
    ],
    { fate: () => undefined },
  ),
  under('connection: close', [['connection', 'close']]),
  under('a connection that is kept for 0 s', [['keep-alive', 'timeout=0']]),
  encoded('gzip unasked', 'gzip', (body) => gzipSync(body)),
  encoded('deflate unasked', 'deflate', (body) => deflateSync(body)),
  encoded('br unasked', 'br', (body) => brotliCompressSync(body)),
  encoded('an encoding that is none', 'x-secret', (body) => body, { fate: () => undefined, alters: true }),
  encoded('gzip that is none', 'gzip', (body) => body, { fate: () => undefined, alters: true }),
  encoded('gzip that is cut', 'gzip', (body) => gzipSync(body).subarray(0, -20), {
    fate: () => undefined,
    alters: true,
  }),
  encoded('gzip of many megabytes', 'gzip', () => BOMB, { fate: 'failed' }),
]
