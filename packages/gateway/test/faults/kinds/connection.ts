import { streamedAnswer, wholeAnswer, wires } from '../answers.ts'
import type { Fate, Fault } from '../fault.ts'
import type { Scene } from '../scene.ts'
import { answer, CHUNKED, chunk, chunkedOpen, head, JSON_TYPE, STREAM_TYPE, type Step } from '../step.ts'
import { goodBody, goodSteps } from './good.ts'

const typeOf = ({ stream }: Scene) => (stream ? STREAM_TYPE : JSON_TYPE)

/** The head of a good answer and the first part of its body; of a stream, some whole events and half of one. */
function begun(scene: Scene): Step[] {
  const body = goodBody(scene)
  if (!scene.stream)
    return [
      head(200, [JSON_TYPE, ['content-length', String(body.length)]]),
      { send: body.subarray(0, body.length >> 1) },
    ]
  const events = wires(scene, streamedAnswer(scene))
  const count = Math.max(1, Math.min(3, events.length - 2))
  const half = events[count] ?? ''
  return chunkedOpen([events.slice(0, count).join(''), half.slice(0, half.length >> 1)])
}

/** All of a good answer, but for its end as HTTP has it. */
function allBut(scene: Scene): Step[] {
  if (scene.stream) return chunkedOpen(wires(scene, streamedAnswer(scene)))
  return answer(200, wholeAnswer(scene))
}

const begins = ({ stream }: Scene): Fate => (stream ? 'cut' : 'failed')

const drip = (scene: Scene): Step[] => {
  const body = goodBody(scene)
  const size = Math.ceil(body.length / 24)
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  )
  return [
    head(200, [typeOf(scene), CHUNKED]),
    ...pieces.flatMap((piece): Step[] => [chunk(piece), { pause: 1 }]),
    { send: '0\r\n' },
    { pause: 1 },
    { send: '\r\n' },
  ]
}

/** What happens to connections. A reset may overtake what was sent before it, so that what comes of it is open. */
export const connectionFaults: readonly Fault[] = [
  { name: 'connection refused', refused: true, fate: 'failed', steps: () => [] },
  { name: 'reset before the head', mute: true, fate: 'failed', steps: () => ['reset'] },
  { name: 'closed before the head', mute: true, fate: 'failed', steps: () => ['close'] },
  {
    name: 'closed within the head',
    mute: true,
    fate: 'failed',
    steps: () => [{ send: 'HTTP/1.1 200 OK\r\ncontent-ty' }, 'close'],
  },
  {
    name: 'reset after the head',
    fate: 'failed',
    steps: (scene) => [head(200, [typeOf(scene), CHUNKED]), { pause: 2 }, 'reset'],
  },
  { name: 'closed after the head', fate: 'failed', steps: (scene) => [head(200, [typeOf(scene), CHUNKED]), 'close'] },
  { name: 'reset in the middle of a frame', steps: (scene) => [...begun(scene), { pause: 5 }, 'reset'] },
  { name: 'closed in the middle of a frame', fate: begins, steps: (scene) => [...begun(scene), 'close'] },
  { name: 'reset after the finish', only: 'stream', steps: (scene) => [...allBut(scene), { pause: 5 }, 'reset'] },
  {
    name: 'closed after the finish, without the last chunk',
    fate: 'served',
    only: 'stream',
    steps: (scene) => [...allBut(scene), 'close'],
  },
  {
    name: 'closed before the last chunk',
    fate: 'failed',
    only: 'whole',
    steps: (scene) => [...chunkedOpen([goodBody(scene)], [JSON_TYPE]), 'close'],
  },
  { name: 'reset after the answer', only: 'whole', steps: (scene) => [...goodSteps(scene), { pause: 2 }, 'reset'] },
  { name: 'closed after the answer', fate: 'served', steps: (scene) => [...goodSteps(scene), 'close'] },
  { name: 'silence before the head', stalls: true, fate: 'failed', steps: () => ['stall'] },
  {
    name: 'silence within the head',
    stalls: true,
    fate: 'failed',
    steps: () => [{ send: 'HTTP/1.1 200 OK\r\nx-a: b\r\n' }, 'stall'],
  },
  {
    name: 'silence after the head',
    stalls: true,
    fate: 'failed',
    steps: (scene) => [head(200, [typeOf(scene), CHUNKED]), 'stall'],
  },
  { name: 'silence in the body', stalls: true, fate: begins, steps: (scene) => [...begun(scene), 'stall'] },
  {
    name: 'silence after the finish',
    stalls: true,
    only: 'stream',
    fate: 'served',
    steps: (scene) => [...allBut(scene), 'stall'],
  },
  {
    name: 'comments and then silence',
    stalls: true,
    only: 'stream',
    fate: 'failed',
    steps: () => [...chunkedOpen([': hello\n\n', ': hello\n\n']), 'stall'],
  },
  { name: 'slow drip', fate: 'served', steps: drip },
  { name: 'no HTTP', fate: 'failed', steps: () => [{ send: 'SSH-2.0-OpenSSH_9.9\r\n\r\n' }, 'close'] },
  {
    name: 'a head that never ends',
    fate: 'failed',
    steps: () => [{ send: `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(300_000)}` }, 'close'],
  },
]
