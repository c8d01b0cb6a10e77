import { isObject } from '../../packages/core/src/canonical/json.ts'
import { type ErrorKind, FAILURES, HeadgateError } from '../../packages/core/src/errors.ts'
import { formats } from '../../packages/core/src/formats/index.ts'
import { code, fence, table } from './markdown.ts'

const REQUEST_ID = 'req_0123456789abcdef0123456789abcdef'

/** Example of an error in the shape of each format. */
export function errorShapes(): string {
  return [...formats.values()]
    .map((format) => {
      const param = `${format.turns}[0].role`
      const error = new HeadgateError('invalid-request', `${param} is "robot", which is not supported.`, { param })
      return `**${format.id}**\n\n${fence('json', JSON.stringify(format.writeError(error, REQUEST_ID), null, 2))}`
    })
    .join('\n\n')
}

/** Type, code or status of each kind in each format. */
export function errorWords(): string {
  const kinds = (Object.keys(FAILURES) as ErrorKind[]).filter((kind) => kind !== 'canceled')
  const rows = kinds.map((kind) => {
    const error = new HeadgateError(kind, 'A message.')
    return [
      code(kind),
      ...[...formats.values()].map((format) => wordsOf(format.writeError(error, REQUEST_ID)['error'])),
    ]
  })
  return table(['kind', ...[...formats.keys()]], rows)
}

function wordsOf(error: unknown): string {
  if (!isObject(error)) return ''
  return [error['type'], error['code'], error['status']]
    .filter((word) => typeof word === 'string')
    .map(code)
    .join(', ')
}

/** Error at the end of a stream, in each format. */
export function streamErrors(): string {
  const error = new HeadgateError('cut', 'openai ended its stream before it was complete.')
  const frames = [...formats.values()].map(
    (format) => `# ${format.id}\n${format.writeStreamError(error, REQUEST_ID).trim()}`,
  )
  return fence('text', frames.join('\n\n'))
}
