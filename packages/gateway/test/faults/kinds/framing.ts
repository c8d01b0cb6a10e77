import { type Event, lineEnd, streamedAnswer, wire, wires } from '../answers.ts'
import type { Fault } from '../fault.ts'
import type { Scene } from '../scene.ts'
import { chunked } from '../step.ts'
import { goodBody } from './good.ts'

type Framed = Omit<Fault, 'only' | 'steps'>

/** A good stream, other bytes. */
function pieces(fault: Framed, cut: (scene: Scene) => readonly (string | Uint8Array)[]): Fault {
  return { fate: 'served', ...fault, only: 'stream', steps: (scene) => chunked(cut(scene)) }
}

function written(fault: Framed, write: (event: Event, scene: Scene) => string): Fault {
  return pieces(fault, (scene) => streamedAnswer(scene).map((event) => write(event, scene)))
}

const BOM = '\ufeff'
/** Most bytes that are sent one at a time. */
const MANY = 3_000

/** The bytes one at a time; of a long stream, the first of them. */
function bytewise(scene: Scene): Uint8Array[] {
  const body = goodBody(scene)
  const single = Array.from(body.subarray(0, MANY), (byte) => Uint8Array.of(byte))
  return [...single, body.subarray(MANY)]
}

function anywhere(scene: Scene): Uint8Array[] {
  const body = goodBody(scene)
  const places = Array.from({ length: 12 }, () => scene.random.below(body.length)).sort((a, b) => a - b)
  return [...places, body.length].map((end, index) => body.subarray(places[index - 1] ?? 0, end))
}

/** The data of an event over several lines. */
function lines({ event, data }: Event): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, 1)
  return `${event === undefined ? '' : `event: ${event}\n`}${text
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
}

const insertBytes = (scene: Scene, bytes: readonly number[]): Buffer[] => {
  const body = goodBody(scene)
  const at = body.indexOf('Gr') + 2
  return [body.subarray(0, at), Buffer.from(bytes), body.subarray(at)]
}

/** Good streams in bytes that are hard to cut into events. */
export const framingFaults: readonly Fault[] = [
  pieces({ name: 'the last blank line is missing' }, (scene) => [
    goodBody(scene)
      .toString()
      .replace(/[\r\n]+$/, ''),
  ]),
  pieces({ name: 'half of the last blank line is missing' }, (scene) => [
    goodBody(scene).subarray(0, lineEnd(scene.format) === '\n' ? -1 : -2),
  ]),
  written({ name: 'CRLF' }, (event) => wire(event, '\r\n')),
  written({ name: 'CR' }, (event) => wire(event, '\r')),
  written({ name: 'LF' }, (event) => wire(event, '\n')),
  written({ name: 'mixed line ends' }, (event, { random }) => wire(event, random.pick(['\n', '\r\n']))),
  written({ name: 'comments' }, (event) => `: keep alive\n\n:\n${wire(event)}: \n\n`),
  written({ name: 'ids and times to retry' }, (event) => `id: 7\nretry: 10\n${wire(event)}`),
  written({ name: 'no space after data' }, (event) => wire(event).replace('data: ', 'data:')),
  written({ name: 'data over several lines' }, lines),
  written({ name: 'blank lines between events' }, (event) => `\n\n\n${wire(event)}\n\n`),
  written({ name: 'empty events' }, (event) => `event: message\n\ndata\n\ndata: \n\n${wire(event)}`),
  written({ name: 'unknown fields' }, (event) => `foo: bar\nnonsense\n${wire(event)}`),
  pieces({ name: 'a byte order mark before a stream' }, (scene) => [BOM, ...wires(scene, streamedAnswer(scene))]),
  pieces({ name: 'byte by byte' }, bytewise),
  pieces({ name: 'cut anywhere' }, anywhere),
  pieces({ name: 'all events at once' }, (scene) => [goodBody(scene)]),
  pieces({ name: 'CRLF byte by byte' }, (scene) => {
    const text = streamedAnswer(scene)
      .map((event) => wire(event, '\r\n'))
      .join('')
    return [
      ...Array.from(Buffer.from(text).subarray(0, MANY), (byte) => Uint8Array.of(byte)),
      Buffer.from(text).subarray(MANY),
    ]
  }),
  pieces({ name: 'invalid UTF-8 in a stream', alters: true }, (scene) =>
    insertBytes(scene, [0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
  ),
  pieces({ name: 'control characters in a stream', alters: true, junk: true, fate: () => undefined }, (scene) =>
    insertBytes(scene, [0, 1]),
  ),
  pieces({ name: 'comments without any event', fate: 'failed' }, () => [': a\n\n', ': b\n\n']),
  written({ name: 'other names for events', alters: true, fate: () => undefined }, (event) =>
    wire({ ...event, event: 'message' }),
  ),
  written({ name: 'no names of events', alters: true, fate: () => undefined }, ({ data }) => wire({ data })),
]
