import { HeadgateError } from '@headgate/gateway/ports'

/** Result of a lookup; undefined if it is refused or missing. Store failures are thrown. */
export function orUndefined<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  return asked.catch((error: unknown) => {
    if (HeadgateError.is(error)) return undefined
    throw error
  })
}
