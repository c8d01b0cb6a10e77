import { HeadgateError } from '@headgate/gateway/ports'

/** What was asked for; undefined where it is refused or not there. What is wrong with the store is thrown. */
export function found<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  return asked.catch((error: unknown) => {
    if (HeadgateError.is(error)) return undefined
    throw error
  })
}
