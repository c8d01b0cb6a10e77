import type { Frame, Tally, Watch } from '../../canonical/format.ts'
import { isObject, type Json, object, objects, parse, text } from '../../canonical/json.ts'
import type { UpstreamError } from '../../errors.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { readHead } from './response-read.ts'
import { laterUsage, readUsage } from './usage.ts'

/**
 * Found in events that have usage, an end or an error. Within the text of a delta quotation marks are escaped, so that
 * an answer that talks of such events is not taken for one.
 */
export const notable =
  /"type"\s*:\s*"(?:message_(?:start|delta|stop)|error)"|"usage"\s*:\s*\{|"file_id"\s*:|(?:^|[\r\n])event:\s*(?:message_(?:start|delta|stop)|error)[\r\n]/

/** Usage and end of a whole answer that passes as it is. */
export function tally(body: Json): Tally {
  const calls = objects(body['content']).some((block) => block['type'] === 'tool_use')
  const usage = readUsage(body['usage'])
  const items = storedIn(body)
  return {
    ...readHead(body),
    ...(usage && { usage }),
    ...(items.length > 0 && { items }),
    finish: readFinish(body, calls),
  }
}

/** Ids of the container that an answer, or the end of a stream, names. */
function containerIn(owner: Json): string[] {
  const id = object(owner['container'])?.['id']
  return typeof id === 'string' ? [id] : []
}

/** Ids of the files that the vendor's tools report in a block: `content.content[].file_id`. */
function filesIn(block: Json): string[] {
  return objects(object(block['content'])?.['content']).flatMap((file) => text(file['file_id']) ?? [])
}

/** Ids that later requests may have from an answer. */
function storedIn(body: Json): string[] {
  return [...containerIn(body), ...objects(body['content']).flatMap(filesIn)]
}

/** Reads a stream that passes as it is. */
export function watch(): Watch {
  const found: Tally = {}
  let counted: Json | undefined
  let error: UpstreamError | undefined
  let complete = false

  const count = (value: unknown): void => {
    counted = laterUsage(counted, value)
    const usage = readUsage(counted)
    if (usage) found.usage = usage
  }

  const store = (ids: readonly string[]): void => {
    if (ids.length > 0) found.items = [...(found.items ?? []), ...ids]
  }

  const note = (event: Json, type: unknown): ReturnType<Watch['push']> => {
    switch (type) {
      case 'ping':
        return 'idle'
      case 'error':
        error = readError(0, event)
        return 'error'
      case 'message_start':
        if (isObject(event['message'])) {
          Object.assign(found, readHead(event['message']))
          count(event['message']['usage'])
          store(containerIn(event['message']))
        }
        return 'content'
      case 'message_delta':
        count(event['usage'])
        if (isObject(event['delta'])) store(containerIn(event['delta']))
        if (isObject(event['delta']) && text(event['delta']['stop_reason']))
          found.finish = readFinish(event['delta'], false)
        return 'content'
      case 'content_block_start':
        if (isObject(event['content_block'])) store(filesIn(event['content_block']))
        return 'content'
      case 'message_stop':
        complete = true
        return 'end'
      default:
        return 'content'
    }
  }

  return {
    push(frame: Frame) {
      if (complete) return 'end'
      const event = parse(frame.data)
      if (!isObject(event)) return frame.event === 'ping' || frame.data === '' ? 'idle' : 'content'
      return note(event, event['type'] ?? (event['error'] === undefined ? frame.event : 'error'))
    },
    tally: found,
    get error() {
      return error
    },
    get complete() {
      return complete
    },
  }
}
