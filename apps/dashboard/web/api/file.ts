import { addressOf, type CallOptions, type RouteName } from './call.ts'
import { problemFrom, unreachable } from './problem.ts'

/** Downloads the response of a route as a file. Unlike a link, this reports errors to the caller. @throws ApiProblem */
export async function keepFile<const Name extends RouteName>(
  name: Name,
  file: string,
  given: CallOptions<Name> = {},
): Promise<void> {
  const response = await fetch(addressOf(name, given), { credentials: 'same-origin', cache: 'no-store' }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw problemFrom(response, await response.json().catch(() => undefined))
  const address = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: address, download: file })
  link.click()
  // The browser has read the blob by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
