import { isObject, type Json, parse } from '@headgate/core/canonical'
import type { Content } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { createOutline } from '../../edge/outline.ts'
import type { ResponseReceiver } from '../../http/whole-response.ts'
import type { SpoolSpace } from '../../uploads/spool.ts'

/** Maximum bytes of a response without its images. */
const MAX_OUTLINE = 1024 * 1024

/** Response of a provider, read into a spool: its memory does not depend on its size. */
export interface ResponseSpool {
  readonly receiver: ResponseReceiver
  readonly content: Content
  close(): Promise<void>
}

/** Creates the spool of one response to a key. Its `body` is the JSON with shortened images; undefined for anything but an object. */
export function createResponseSpool(space: SpoolSpace, key: string): ResponseSpool {
  const spool = space.create(key)
  const outline = createOutline()
  const body = (): Json | undefined => {
    const json = parse(outline.whole().toString('utf8'))
    return isObject(json) ? json : undefined
  }
  return {
    receiver: {
      write(chunk) {
        outline.add(chunk)
        if (outline.size > MAX_OUTLINE) throw tooLarge()
        try {
          return spool.write(chunk)
        } catch (error) {
          throw HeadgateError.is(error) && error.kind === 'too-large' ? tooLarge() : error
        }
      },
      body,
    },
    content: {
      get size() {
        return spool.size
      },
      read: () => spool.read(),
    },
    close: () => spool.close(),
  }
}

function tooLarge(): HeadgateError {
  return new HeadgateError('upstream', "The provider's response is larger than the gateway accepts.")
}
