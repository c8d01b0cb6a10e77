import type { Frame, ResponseSummary, UsageReader } from '../../canonical/format.ts'
import { isObject, type Json, object, objects, parse, text } from '../../canonical/json.ts'
import type { UpstreamError } from '../../errors.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { readHead } from './response-read.ts'
import { laterUsage, readUsage } from './usage.ts'

/**
 * Matches events with usage, a finish reason or an error. Quotes in the text of a delta are escaped, so text about such
 * events does not match.
 */
export const relevantFrames =
  /"type"\s*:\s*"(?:message_(?:start|delta|stop)|error)"|"usage"\s*:\s*\{|"file_id"\s*:|(?:^|[\r\n])event:\s*(?:message_(?:start|delta|stop)|error)[\r\n]/

/** Usage and finish of a whole response. */
export function summarize(body: Json): ResponseSummary {
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

/** Id of the container in a response, or in the end of a stream. */
function containerIn(owner: Json): string[] {
  const id = object(owner['container'])?.['id']
  return typeof id === 'string' ? [id] : []
}

/** Ids of files that a hosted tool reports in a block: `content.content[].file_id`. */
function filesIn(block: Json): string[] {
  return objects(object(block['content'])?.['content']).flatMap((file) => text(file['file_id']) ?? [])
}

/** Ids in a response that later requests can refer to. */
function storedIn(body: Json): string[] {
  return [...containerIn(body), ...objects(body['content']).flatMap(filesIn)]
}

/** Usage reader of a stream that bypasses translation. */
export function usageReader(): UsageReader {
  const found: ResponseSummary = {}
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

  const note = (event: Json, type: unknown): ReturnType<UsageReader['push']> => {
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
    summary: found,
    get error() {
      return error
    },
    get complete() {
      return complete
    },
  }
}
